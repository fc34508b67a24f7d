import type { App } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import type { DocumentKind, DownKind } from '../protocol.ts'
import type { Machine } from './identity.ts'
import type { Link } from './link.ts'
import { inReach } from './pump.ts'
import { takeDocuments } from './shadows.ts'

/** A version of what a machine should have, in as many messages as it takes. */
export type Document = { readonly version: number; readonly bodies: readonly object[] }
/** Who writes a kind of document knows how it reads; the gateway only carries it. */
export type Documents = Readonly<
  Record<DocumentKind, (db: Db, deviceIds: readonly number[]) => Promise<Map<number, Document>>>
>

/** Lanes of one message: with the longest names they stay below what a message may hold. */
const perPart = 40
export const inParts = <T>(lanes: readonly T[]): T[][] =>
  Array.from({ length: Math.max(1, Math.ceil(lanes.length / perPart)) }, (_, i) =>
    lanes.slice(i * perPart, (i + 1) * perPart),
  )

const topics: Readonly<Record<DocumentKind, DownKind>> = {
  CONFIG: 'config',
  PLANOGRAM: 'planogram',
  RECALLS: 'recalls',
  APK: 'apk',
  FIRMWARE: 'firmware',
}

/** Sends documents that machines should have and do not, to those that are connected now. */
export function openDocumentPump(app: App, link: Link, documents: Documents): () => Promise<void> {
  return async () => {
    const machines = inReach(link)
    if (machines.size === 0) return
    const due = await takeDocuments(app, [...machines.keys()])
    for (const [kind, rows] of Map.groupBy(due, (row) => row.kind)) {
      const ids = rows.map((row) => row.deviceId)
      const found = await app.database.read(systemScope, (db) => documents[kind](db, ids))
      for (const id of ids) {
        const document = found.get(id)
        const machine = machines.get(id)
        if (document && machine) carry(link, machine, topics[kind], document)
      }
    }
  }
}

const carry = (
  link: Link,
  machine: Machine,
  kind: DownKind,
  { version, bodies }: Document,
): boolean =>
  bodies.every((body, i) =>
    link.send(machine, kind, { version, part: i + 1, parts: bodies.length, ...body }),
  )
