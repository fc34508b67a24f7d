import { createHash } from 'node:crypto'
import type { Down, UpKind } from '../domains/machines/protocol.ts'
import { type Installed, judged, type Keys, type Manifest } from '../domains/releases/manifest.ts'

/** What a machine runs and does about its app and its firmware, as its permanent memory holds it. */
export type ReleaseName = 'APK' | 'FIRMWARE'
type Document = Down<'apk'>
type Stage = 'LOADING' | 'LOADED' | 'INSTALLING' | 'OVER'
export type Held = {
  runs: Installed
  /** The slot that boots when the new one does not. */
  document: Document | null
  stage: Stage
  /** When it was taken, by the platform's clock. */
  takenAt: number
  tries: number
}
export type HeldReleases = Record<ReleaseName, Held>

/** Room for packages; what was loaded before the power went is still there. */
export type Disk = {
  size(name: string): number
  append(name: string, bytes: Uint8Array): boolean
  read(name: string): Buffer
  clear(name: string): void
}
/** A part of a package from this byte on; null: the line broke. */
export type Load = (
  url: string,
  from: number,
) => Promise<{ status: number; bytes: Uint8Array } | null>
type Hands = {
  tell(kind: UpKind, body: Record<string, unknown>): void
  remember(): void
  platformNow(): number
  /** An order, an open door: not now. */
  busy(): boolean
  /** Ends this run of the software and starts it again. */
  restart(): void
  load: Load
  readonly disk: Disk
  readonly keys: Keys
}
export type Updates = {
  document(kind: ReleaseName, document: Document): void
  /** Every second. */
  tick(): Promise<void>
  /** After a start. */
  started(): void
  versions(): { apkRelease: number; fwRelease: number }
  runs(kind: ReleaseName): Installed
}

/** A build of the demo that does not start: its self-test fails. */
export const badBuild = 'HUODAO-BAD-BUILD'
const mostTries = 3

export const builtWith = (
  kind: ReleaseName,
  target: string,
  board: string,
  versionName: string,
  versionCode: number,
): Held => ({
  runs: { kind, target, board, versionName, versionCode, serial: 0 },
  ...{ document: null, stage: 'OVER', takenAt: 0, tries: 0 },
})

export function openUpdates(held: HeldReleases, hands: Hands): Updates {
  let busy = false
  const applied = (what: ReleaseName, version: number, reason = '') =>
    hands.tell('applied', { what, version, ok: reason === '', ...(reason ? { reason } : {}) })
  const say = (what: ReleaseName, stage: string, more: Record<string, unknown> = {}) =>
    hands.tell('ota', { what, version: held[what].document?.version ?? 0, stage, ...more })
  const look = ({ document, runs }: Held): Manifest | string =>
    document?.manifest && document.keyId && document.signature
      ? judged(
          hands.keys,
          {
            ...{ manifest: document.manifest, keyId: document.keyId },
            signature: document.signature,
          },
          runs,
          hands.platformNow(),
        )
      : 'FORMAT'
  const move = (kind: ReleaseName, stage: Stage) => {
    held[kind].stage = stage
    hands.remember()
  }
  const fail = (kind: ReleaseName, code: string) => {
    hands.disk.clear(kind)
    move(kind, 'OVER')
    say(kind, 'FAILED', { code })
  }

  /** One part, or what follows from all of them. */
  async function load(kind: ReleaseName, manifest: Manifest): Promise<void> {
    const { document } = held[kind]
    const from = hands.disk.size(kind)
    if (from < manifest.size) {
      const part = await hands.load(document?.url ?? '', from)
      // another document came meanwhile
      if (held[kind].document !== document || held[kind].stage !== 'LOADING') return
      if (!part || (part.status !== 200 && part.status !== 206)) {
        held[kind].tries += 1
        if (held[kind].tries > mostTries) fail(kind, 'DOWNLOAD')
        return
      }
      if (from === 0) say(kind, 'DOWNLOADING', { progress: 0 })
      if (part.status === 200 && from > 0) hands.disk.clear(kind)
      if (!hands.disk.append(kind, part.bytes)) return fail(kind, 'NO_SPACE')
      held[kind].tries = 0
    }
    if (hands.disk.size(kind) < manifest.size) return
    const hash = createHash('sha256').update(hands.disk.read(kind)).digest('hex')
    if (hash !== manifest.sha256) return fail(kind, 'HASH')
    move(kind, 'LOADED')
    say(kind, 'DOWNLOADED', { progress: 100 })
  }

  function isTime({ document, takenAt }: Held): boolean {
    if (!document || hands.busy()) return false
    if (document.atOnce) return true
    const now = hands.platformNow()
    if (now < takenAt + (document.delaySeconds ?? 0) * 1000) return false
    const clock = new Date(now + 8 * 3_600_000).toISOString().slice(11, 16)
    const [from, to] = [document.quietFrom ?? '00:00', document.quietTo ?? '24:00']
    return from <= to ? clock >= from && clock < to : clock >= from || clock < to
  }

  function install(kind: ReleaseName): void {
    // what was loaded days ago may be over, or of another place by now
    const manifest = look(held[kind])
    if (typeof manifest === 'string') return fail(kind, manifest)
    const bytes = hands.disk.read(kind)
    if (createHash('sha256').update(bytes).digest('hex') !== manifest.sha256)
      return fail(kind, 'HASH')
    move(kind, 'INSTALLING')
    say(kind, 'INSTALLING')
    hands.restart()
  }

  /** The new slot ran: three heartbeats and its self-test, else the old one boots again. */
  function booted(kind: ReleaseName): void {
    const manifest = look(held[kind])
    const bytes = hands.disk.read(kind)
    hands.disk.clear(kind)
    if (typeof manifest === 'string') {
      move(kind, 'OVER')
      return say(kind, 'FAILED', { code: manifest })
    }
    if (bytes.includes(badBuild)) {
      move(kind, 'OVER')
      return say(kind, 'ROLLED_BACK', { code: 'SELF_TEST', reason: 'motors do not answer' })
    }
    const { versionName, versionCode, serial } = manifest
    held[kind].runs = { ...held[kind].runs, versionName, versionCode, serial }
    move(kind, 'OVER')
    say(kind, 'SUCCEEDED', { progress: 100 })
  }

  return {
    runs: (kind) => held[kind].runs,
    versions: () => ({
      apkRelease: held.APK.document?.version ?? 0,
      fwRelease: held.FIRMWARE.document?.version ?? 0,
    }),
    document(kind, document) {
      const of = held[kind]
      // it is being written: whatever is wanted now, comes after it
      if (of.stage === 'INSTALLING' || document.version < (of.document?.version ?? 0)) return
      const same = of.document?.manifest === document.manifest
      if (document.what !== 'GO') {
        if (document.what === 'NONE') hands.disk.clear(kind)
        of.document = document
        move(kind, 'OVER')
        return applied(kind, document.version)
      }
      of.document = document
      const manifest = look(of)
      if (typeof manifest === 'string') {
        of.document = { ...document, what: 'NONE' }
        move(kind, 'OVER')
        return applied(kind, document.version, manifest)
      }
      if (!same && hands.disk.size(kind) > 0) hands.disk.clear(kind)
      Object.assign(of, { takenAt: hands.platformNow(), tries: 0 })
      move(kind, 'LOADING')
      applied(kind, document.version)
    },
    async tick() {
      if (busy) return
      busy = true
      try {
        for (const kind of ['FIRMWARE', 'APK'] as const) {
          const of = held[kind]
          if (of.stage === 'LOADING') {
            const manifest = look(of)
            if (typeof manifest === 'string') fail(kind, manifest)
            else await load(kind, manifest)
          } else if (of.stage === 'LOADED' && isTime(of)) {
            install(kind)
            break
          }
        }
      } finally {
        busy = false
      }
    },
    started() {
      for (const kind of ['FIRMWARE', 'APK'] as const)
        if (held[kind].stage === 'INSTALLING') booted(kind)
    },
  }
}
