import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { outcomeOf, resultOf } from '../../../shared/outcome.ts'
import type { DeviceRow, devices } from '../contract.ts'
import { mostTags, retagged } from '../rules.ts'

type Contract = typeof devices
type Tags = DeviceRow['tags']
type Tag = { id: number; name: string; orgId: number }
type Machine = {
  id: number
  orgId: number
  rtuNumber: string
  nickname: string
  lifecycle: string
  tags: Tag[]
}

/** The tags of these machines, read beside them: the page itself stays as narrow as it was. */
export async function tagsOf(ctx: Ctx, ids: readonly number[]): Promise<(id: number) => Tags> {
  const rows = await rowsOf<Tags[number] & { deviceId: number }>(ctx.db)`
    select l.device_id as "deviceId", t.id, t.name, t.tone
    from device_tag_links l join device_tags t on t.id = l.tag_id
    where l.device_id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'l.org_id', 'l.device_id')}
    order by t.name, t.id`
  const found = Map.groupBy(rows, ({ deviceId }) => deviceId)
  return (id) => (found.get(id) ?? []).map(({ deviceId: _, ...tag }) => tag)
}

/** What becomes of each machine. */
async function judge(ctx: Ctx, { ids, on, off }: Input<typeof devices.tagMany>, hold = sql``) {
  const machines = await rowsOf<Machine>(ctx.db)`
    select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.nickname, d.lifecycle,
      (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'orgId', t.org_id)
          order by t.name, t.id), '[]')
        from device_tag_links l join device_tags t on t.id = l.tag_id
        where l.device_id = d.id) as tags
    from devices d
    where d.id = any(${ids}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}
    order by d.id ${hold}`
  const wanted = [...new Set([...on, ...off])]
  const tags = await rowsOf<Tag>(ctx.db)`select t.id, t.name, t.org_id as "orgId"
    from device_tags t where t.id = any(${wanted}::bigint[]) and ${visible(ctx, 't.org_id')}
    order by t.name, t.id`
  if (machines.length < ids.length || tags.length < wanted.length)
    throw new Refusal(common.notFound)
  const put = tags.filter(({ id }) => on.includes(id))
  const taken = tags.filter(({ id }) => off.includes(id))
  return machines.map((machine) => ({ ...machine, ...retagged(machine, put, taken) }))
}
const answer = (ctx: Ctx, judged: Awaited<ReturnType<typeof judge>>) =>
  outcomeOf(judged.map((one) => resultOf(one, ctx.lang, one.refusal, { n: mostTags })))

export const previewTags: Handlers<Contract>['previewTags'] = async (ctx, input) =>
  answer(ctx, await judge(ctx, input))

export const tagMany: Handlers<Contract>['tagMany'] = async (ctx, input) => {
  const judged = await judge(ctx, input, sql`for no key update of d`)
  const able = judged.filter(({ refusal }) => refusal === null)
  const pairs = able.flatMap(({ id, orgId, after }) => after.map((tag) => [orgId, id, tag.id]))
  const ids = able.map(({ id }) => id)
  await sql`delete from device_tag_links where device_id = any(${ids}::bigint[])
      and tag_id = any(${input.off}::bigint[])`.execute(ctx.db)
  await sql`insert into device_tag_links (org_id, device_id, tag_id)
    select (p ->> 0)::bigint, (p ->> 1)::bigint, (p ->> 2)::bigint
    from jsonb_array_elements(${JSON.stringify(pairs)}::jsonb) p
    on conflict do nothing`.execute(ctx.db)
  const named = (tags: readonly Tag[]) => ({ tags: tags.map(({ name }) => name) })
  ctx.audit(
    ...able.map(({ id, rtuNumber: name, orgId, tags, after }) => ({
      ...{ id, name, orgId },
      before: named(tags),
      after: named(after),
    })),
  )
  ctx.touch('devices', able)
  ctx.touch('device-tags', able)
  return answer(ctx, judged)
}
