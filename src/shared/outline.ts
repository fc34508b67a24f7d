/**
 * Borders travel as text: differences of whole units, five bits a character, none that JSON
 * escapes. 1/1024° is about 100 m.
 */
export const unitsPerDegree = 1024

export function encodeLine(line: readonly number[]): string {
  let out = ''
  let previous = [0, 0]
  for (let i = 0; i < line.length; i += 2) {
    const at = [line[i] as number, line[i + 1] as number]
    for (const axis of [0, 1] as const) {
      const difference = (at[axis] as number) - (previous[axis] as number)
      let rest = difference < 0 ? -2 * difference - 1 : 2 * difference
      for (; rest >= 32; rest >>= 5) out += String.fromCharCode((rest & 31) + 93)
      out += String.fromCharCode(rest + 35)
    }
    previous = at
  }
  return out
}

/** Units of longitude and latitude in turn. */
export function decodeLine(text: string): number[] {
  const out: number[] = []
  let shift = 0
  let value = 0
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    value += (character >= 93 ? character - 93 : character - 35) << shift
    if (character >= 93) {
      shift += 5
      continue
    }
    const difference = value & 1 ? -(value + 1) / 2 : value / 2
    out.push((out.at(-2) ?? 0) + difference)
    shift = 0
    value = 0
  }
  return out
}
