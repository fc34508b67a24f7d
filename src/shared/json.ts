/** What of a text was read, or why it is not: `name` stands twice or may stand nowhere. */
export type Read =
  | { readonly value: unknown }
  | { readonly wrong: 'encoding' | 'syntax' | 'size' }
  | { readonly wrong: 'twice' | 'forbidden'; readonly name: string }

/**
 * A text that never ends is one token to the end: the scan goes over each character once, whatever
 * stands there.
 */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]/g

/**
 * JSON from outside, bounded in parts (values and names, each costs more than its bytes) and depth
 * before it is parsed, and in which a name stands once: of two the parser keeps the last, a reader
 * before us may have judged the first.
 */
export function readJson(
  bytes: Uint8Array,
  most: { readonly parts: number; readonly depth: number },
): Read {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { wrong: 'encoding' }
  }
  // the names of each object that is open; null stands for an array
  const open: (Set<string> | null)[] = []
  let nameNext = false
  let parts = 0
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[' || token === ',') parts += 1
    if (parts > most.parts) return { wrong: 'size' }
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > most.depth) return { wrong: 'size' }
    } else if (token === '}' || token === ']') open.pop()
    else if (nameNext && token[0] === '"') {
      const named = parsed(token)
      if (!('value' in named)) return named
      const name = named.value as string
      const names = open.at(-1) as Set<string>
      if (name === '__proto__') return { wrong: 'forbidden', name }
      if (names.has(name)) return { wrong: 'twice', name }
      names.add(name)
    }
    nameNext = (token === '{' || token === ',') && open.at(-1) instanceof Set
  }
  return parsed(text)
}

function parsed(text: string): { value: unknown } | { wrong: 'syntax' } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { wrong: 'syntax' }
  }
}
