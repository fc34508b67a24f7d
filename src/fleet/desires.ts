import type { Control, DocumentKind, Down } from '../domains/machines/protocol.ts'

/**
 * What the platform wants of a machine beside vends: documents it should have, and things to do at
 * once. Survives a loss of power.
 */
type Told = {
  cmdId: string
  type: Control['type']
  state: 'accepted' | 'done' | 'refused'
  ok: boolean
  reason: string
}
export type Held = {
  config: Down<'config'> | null
  planogram: { version: number; lanes: Down<'planogram'>['lanes'] } | null
  /** What is recalled of its goods: its screen offers none of these lanes. */
  recalls?: { version: number; recalls: Down<'recalls'>['recalls'] } | null
  locked: boolean
  told: Told[]
}
export const nothingHeld = (): Held => ({ config: null, planogram: null, locked: false, told: [] })

type Hands = {
  tell(kind: 'applied' | 'cmd_ack' | 'cmd_result', body: Record<string, unknown>): void
  /** Writes the memory. */
  remember(): void
  /** Milliseconds by the platform's clock. */
  platformNow(): number
  reboot(): void
  openDoor(): void
  report(): void
}
export type Desires = {
  readonly held: Held
  /** For the hello. */
  versions(): { config: number; planogram: number; recalls: number }
  config(document: Down<'config'>): void
  planogram(document: Down<'planogram'>): void
  recalls(document: Down<'recalls'>): void
  control(control: Control): void
  /** After a start: a restart is done, anything else that had begun is given up. */
  started(): void
}

const memory = 50
/** Colder than the compressor can make it. */
const coldest = -25

/** The parts of the newest version, in their order. */
const gathered = <P extends { version: number; part: number }>(parts: readonly P[], next: P): P[] =>
  [
    ...parts.filter((part) => part.version === next.version && part.part !== next.part),
    next,
  ].toSorted((a, b) => a.part - b.part)

export function openDesires(held: Held, hands: Hands): Desires {
  let parts: Down<'planogram'>[] = []
  let lists: Down<'recalls'>[] = []
  const applied = (what: DocumentKind, version: number, reason = '') =>
    hands.tell('applied', { what, version, ok: reason === '', ...(reason ? { reason } : {}) })

  function finish(told: Told, ok: boolean, reason = ''): void {
    Object.assign(told, { state: 'done', ok, reason })
    hands.remember()
    result(told)
  }
  const result = ({ cmdId, ok, reason }: Told) =>
    hands.tell('cmd_result', { cmdId, ok, ...(reason ? { reason } : {}) })

  function begin(told: Told): void {
    if (told.type === 'REBOOT') return hands.reboot()
    if (told.type === 'QUERY') hands.report()
    if (told.type === 'DOOR') hands.openDoor()
    if (told.type === 'LOCK' || told.type === 'UNLOCK') held.locked = told.type === 'LOCK'
    finish(told, true)
  }

  return {
    held,
    versions: () => ({
      config: held.config?.version ?? 0,
      planogram: held.planogram?.version ?? 0,
      recalls: held.recalls?.version ?? 0,
    }),
    config(document) {
      if (document.tempMin !== null && document.tempMin < coldest)
        return applied('CONFIG', document.version, `cannot cool below ${coldest}`)
      held.config = document
      hands.remember()
      applied('CONFIG', document.version)
    },
    planogram(document) {
      parts = gathered(parts, document)
      if (parts.length < document.parts) return
      held.planogram = { version: document.version, lanes: parts.flatMap((part) => part.lanes) }
      parts = []
      hands.remember()
      applied('PLANOGRAM', document.version)
    },
    recalls(document) {
      lists = gathered(lists, document)
      if (lists.length < document.parts) return
      held.recalls = { version: document.version, recalls: lists.flatMap((part) => part.recalls) }
      lists = []
      hands.remember()
      applied('RECALLS', document.version)
    },
    control({ cmdId, type, expireAt }) {
      const known = held.told.find((told) => told.cmdId === cmdId)
      if (known) {
        if (known.state === 'refused') return hands.tell('cmd_ack', { cmdId, ack: known.reason })
        hands.tell('cmd_ack', { cmdId, ack: 'DUPLICATE' })
        if (known.state === 'done') result(known)
        return
      }
      const late = hands.platformNow() >= expireAt
      const told: Told = {
        cmdId,
        type,
        state: late ? 'refused' : 'accepted',
        ok: false,
        reason: late ? 'EXPIRED' : '',
      }
      held.told = [...held.told, told].slice(-memory)
      hands.remember()
      hands.tell('cmd_ack', { cmdId, ack: late ? 'EXPIRED' : 'ACCEPTED' })
      if (!late) begin(told)
    },
    started() {
      for (const told of held.told)
        if (told.state === 'accepted')
          finish(told, told.type === 'REBOOT', told.type === 'REBOOT' ? '' : 'POWER_FAIL')
    },
  }
}
