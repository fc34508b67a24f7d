import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { ownsMachines } from '../../machines/rules.ts'
import {
  type GroupDetail,
  type GroupRow,
  programGroupErrors,
  type programGroups,
} from '../contract.ts'
import { groupStates, multirange, spansOf, windowsFinding } from '../rules.ts'
import { followGroup } from './bound.ts'
import * as q from './queries.ts'

type Contract = typeof programGroups

const shown = <R extends q.Row>(ctx: Ctx, row: R): R & Pick<GroupRow, 'can'> => {
  const changes = may(ctx, 'program-group:update')
  const to = (state: GroupRow['state']) =>
    changes && allowedFrom(groupStates, state).includes(row.state)
  return {
    ...row,
    can: {
      update: changes,
      delete: may(ctx, 'program-group:delete'),
      enable: to('ENABLED'),
      disable: to('DISABLED'),
      copy: may(ctx, 'program-group:create'),
    },
  }
}
const get = async (ctx: Ctx, id: number): Promise<GroupDetail> => {
  const row = found(await q.row(ctx, id))
  const shows = await q.items(ctx, id)
  const items = shows.map(({ creativeId, seconds }) => ({ creativeId, seconds }))
  return { ...shown(ctx, row), items, shows }
}

/** The database guards what is unique: rows of others are not seen. */
const unique = guarding({ program_groups_org_id_name_key: [programGroupErrors.nameTaken, 'name'] })

type Item = { creativeId: number; seconds: number }
/** A film plays as long as it is, wherever it stands. */
async function checked(ctx: Ctx, orgId: number, items: readonly Item[]): Promise<Item[]> {
  const usable = new Map(
    (
      await q.usable(
        ctx,
        orgId,
        items.map((item) => item.creativeId),
      )
    ).map(({ id, film }) => [id, film]),
  )
  const missing = items.findIndex(({ creativeId }) => !usable.has(creativeId))
  if (missing >= 0) throw fieldRefusal(programGroupErrors.creative, `items.${missing}.creativeId`)
  return items.map(({ creativeId, seconds }) => ({
    creativeId,
    seconds: usable.get(creativeId) ?? seconds,
  }))
}
const writeItems = (ctx: Ctx, id: number, orgId: number, items: readonly Item[]) =>
  sql`insert into program_group_items (group_id, org_id, position, creative_id, seconds)
    select ${id}, ${orgId}, n, creative, seconds
    from unnest(${items.map((item) => item.creativeId)}::bigint[],
      ${items.map((item) => item.seconds)}::int[]) with ordinality x(creative, seconds, n)`.execute(
    ctx.db,
  )

type Fields = Pick<GroupRow, 'name' | 'slotKind' | 'windows' | 'transition' | 'maxPlaysPerHour'>
function columnsOf(ctx: Ctx, { windows, ...fields }: Fields) {
  const finding = windowsFinding(windows)
  if (finding) throw fieldRefusal(finding.def, finding.at)
  return {
    ...columns('program_groups', fields),
    windows: multirange(spansOf(windows)),
    updated_at: ctx.now,
  }
}

async function insert(ctx: Ctx, orgId: number, fields: Fields, items: readonly Item[]) {
  const kept = await checked(ctx, orgId, items)
  const { id } = await unique(
    ctx.db
      .insertInto('program_groups')
      .values({ ...columnsOf(ctx, fields), org_id: orgId, created_at: ctx.now })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  await writeItems(ctx, id, orgId, kept)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, after, orgId })
  ctx.touch('program-groups', [orgId])
  return after
}

const create: Handlers<Contract>['create'] = async (ctx, { orgId, items, ...fields }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  if (!ownsMachines(owner.kind)) throw fieldRefusal(programGroupErrors.ownerKind, 'orgId')
  return insert(ctx, owner.id, fields, items)
}

const copy: Handlers<Contract>['copy'] = async (ctx, { id, name }) => {
  const before = await get(ctx, id)
  const { slotKind, windows, transition, maxPlaysPerHour, items } = before
  const fields = { name, slotKind, windows, transition, maxPlaysPerHour }
  return insert(ctx, before.orgId, fields, items)
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, items, ...fields }) => {
  const before = await get(ctx, id)
  const kept = await checked(ctx, before.orgId, items)
  // where it is bound it stands in the slots of its kind
  if (fields.slotKind !== before.slotKind) await unused(ctx, id)
  await unique(updateVersion(ctx, 'program_groups', { id, version }, columnsOf(ctx, fields)))
  await sql`delete from program_group_items where group_id = ${id}`.execute(ctx.db)
  await writeItems(ctx, id, before.orgId, kept)
  await followGroup(ctx, id, spansOf(fields.windows), programGroupErrors.overlap)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
  ctx.touch('program-groups', [before.orgId])
  return after
}

/**
 * What is bound is neither stopped nor deleted; what was bound once keeps its group, for what
 * played.
 */
async function unused(ctx: Ctx, id: number, ever = false): Promise<void> {
  const bound = await rowOf(ctx.db)`select b.id from ad_bindings b
    where b.group_id = ${id} and (${ever} or b.state not in ('ENDED', 'REJECTED', 'REVOKED'))
      and ${visible(ctx, 'b.org_id')} limit 1`
  if (bound) throw new Refusal(programGroupErrors.inUse)
}

const moved =
  (state: 'ENABLED' | 'DISABLED'): Handlers<Contract>['enable'] =>
  async (ctx, { id, version }) => {
    const before = shown(ctx, found(await q.row(ctx, id)))
    if (!allowedFrom(groupStates, state).includes(before.state))
      throw new Refusal(programGroupErrors.wrongState)
    if (state === 'DISABLED') await unused(ctx, id)
    await updateVersion(ctx, 'program_groups', { id, version }, { state, updated_at: ctx.now })
    const after = shown(ctx, found(await q.row(ctx, id)))
    ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
    ctx.touch('program-groups', [before.orgId])
    return after
  }

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await get(ctx, id)
  await unused(ctx, id, true)
  await deleteVersion(ctx, 'program_groups', { id, version })
  ctx.audit({ id, name: before.name, before, orgId: before.orgId })
  ctx.touch('program-groups', [before.orgId])
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  get: (ctx, { id }) => get(ctx, id),
  create,
  update,
  copy,
  enable: moved('ENABLED'),
  disable: moved('DISABLED'),
  remove,
}
