/**
 * Goods of one batch in a lane; from front to back they are what a spring pushes out first to last.
 * Without a batch nobody knows which; `codes` are those of its pieces, or none of them has one.
 */
export type Layer = {
  /** Null until it is written. */
  pos: number | null
  batchId: number | null
  qty: number
  codes: readonly string[]
}
/** What comes in of a batch, or has left of it. */
export type Portion = { batchId: number | null; qty: number; codes: readonly string[] }

const same = (a: Layer | undefined, b: Layer): boolean =>
  a?.batchId === b.batchId && a.codes.length > 0 === b.codes.length > 0

/** Behind all others; `front` is for what a count took away and the machine says it sold. */
export function putIn(layers: readonly Layer[], portion: Portion, front = false): Layer[] {
  const fresh = { pos: null, ...portion }
  if (front) return [fresh, ...layers]
  const last = layers.at(-1)
  if (!last || !same(last, fresh)) return [...layers, fresh]
  const { qty, codes } = last
  return [
    ...layers.slice(0, -1),
    { ...last, qty: qty + fresh.qty, codes: [...codes, ...fresh.codes] },
  ]
}

/** Which pieces: those of one batch (`null`: of unknown batch), those with these codes, or any. */
export type Choice = { batchId?: number | null | undefined; codes?: readonly string[] | undefined }

/**
 * Takes pieces from the front. Answers what is left, and what left by batch in the order in which it
 * lay; null when there are not so many of these.
 */
export function takeOut(
  layers: readonly Layer[],
  qty: number,
  choice: Choice,
): { left: Layer[]; taken: Portion[] } | null {
  const wanted = choice.codes && new Set(choice.codes)
  const taken = new Map<number | null, { qty: number; codes: string[] }>()
  let open = qty
  const left = layers.flatMap((layer) => {
    if (choice.batchId !== undefined && choice.batchId !== layer.batchId) return [layer]
    const hits = layer.codes.filter((code) => wanted?.has(code) ?? true)
    const n = Math.min(open, wanted ? hits.length : layer.qty)
    if (n === 0) return [layer]
    open -= n
    const codes = hits.slice(0, n)
    const sum = taken.get(layer.batchId) ?? { qty: 0, codes: [] }
    taken.set(layer.batchId, { qty: sum.qty + n, codes: [...sum.codes, ...codes] })
    const rest = layer.codes.filter((code) => !codes.includes(code))
    return layer.qty > n ? [{ ...layer, qty: layer.qty - n, codes: rest }] : []
  })
  if (open > 0) return null
  return { left, taken: [...taken].map(([batchId, sum]) => ({ batchId, ...sum })) }
}

/** As rows: those that were keep their place. A lane with goods of unknown batch alone has none. */
export function placed(layers: readonly Layer[]): (Layer & { pos: number })[] {
  if (layers.every((layer) => layer.batchId === null)) return []
  const known = layers.findIndex((layer) => layer.pos !== null)
  const first = (layers[known]?.pos ?? 1) - Math.max(known, 0)
  let pos = first - 1
  return layers.map((layer) => {
    pos = layer.pos ?? pos + 1
    return { ...layer, pos }
  })
}
