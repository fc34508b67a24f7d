import { type RawBuilder, sql } from 'kysely'
import type { Failed, Kind, Piece, Retry } from '../../src/server/work.ts'

/** Durable work of nobody, for the tests of the mechanism; its table is made by them. */
export const testTable = `create table test_pieces
  (id bigint generated always as identity primary key, org_id bigint not null default 1,
    name text not null,
  state text not null default 'WAITING', reason text not null default '',
  next_at timestamptz default now(), attempts int not null default 0);
  create index test_pieces_turns on test_pieces (org_id, next_at, id) where next_at is not null`
export type TestPiece = Piece & {
  readonly id: number
  readonly name: string
  readonly org_id: number
}
type Sent = { readonly state: 'SENT' }

export const testKind = (
  work: (piece: TestPiece) => Promise<Sent | Retry | Failed>,
  more: Partial<Omit<Kind<TestPiece, Sent>, 'do' | 'mark' | 'take'>> & {
    of?: RawBuilder<boolean>
  } = {},
): Kind<TestPiece, Sent> => ({
  name: 'test-pieces',
  table: 'test_pieces',
  atOnce: 4,
  leaseSeconds: 2,
  waits: [0.2, 0.2],
  do: work,
  mark: (ctx, { ours }, to) =>
    sql`update test_pieces set state = ${to.state}, reason = ${'reason' in to ? to.reason : ''},
      next_at = ${to.nextAt} where ${ours}`.execute(ctx.db),
  ...more,
})

/** The other side, which takes each number once. */
export const calls = (url: string) => async (piece: TestPiece) => {
  await fetch(url, { method: 'POST', body: piece.name })
  return { state: 'SENT' as const }
}
