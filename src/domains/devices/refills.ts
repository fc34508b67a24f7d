/** Refills of a machine as a person remembers them: somebody was there and filled some lanes. */

export type Refill = {
  readonly id: number
  readonly cargoRoad: number
  readonly changeTotal: number
  readonly actorKind: string
  readonly actorName: string | null
  readonly createTime: string
}
export type Visit<F extends Refill> = {
  readonly actorKind: F['actorKind']
  readonly actorName: string | null
  readonly from: string
  readonly to: string
  readonly lanes: number
  readonly pieces: number
  /** By lane, and within a lane as it happened. */
  readonly lines: readonly F[]
}

/** Who pauses longer than this between two lanes has come again. */
const pauseMs = 15 * 60_000

/** `flows`: newest first, as the list of stock flows answers them; so are the visits. */
export function visitsOf<F extends Refill>(flows: readonly F[]): Visit<F>[] {
  const groups: F[][] = []
  for (const flow of flows) {
    const group = groups.at(-1)
    const later = group?.at(-1)
    const together =
      later !== undefined &&
      later.actorKind === flow.actorKind &&
      later.actorName === flow.actorName &&
      Date.parse(later.createTime) - Date.parse(flow.createTime) <= pauseMs
    if (together) group?.push(flow)
    else groups.push([flow])
  }
  return groups.map((group) => {
    const [last] = group as [F, ...F[]]
    return {
      actorKind: last.actorKind,
      actorName: last.actorName,
      from: (group.at(-1) as F).createTime,
      to: last.createTime,
      lanes: new Set(group.map((flow) => flow.cargoRoad)).size,
      pieces: group.reduce((sum, flow) => sum + flow.changeTotal, 0),
      lines: [...group].reverse().sort((a, b) => a.cargoRoad - b.cargoRoad),
    }
  })
}
