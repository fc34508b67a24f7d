import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  keptColumns,
  pictureColumns,
  sweepPictures,
} from '../../src/domains/files/server/unused.ts'
import { checkInvariants } from '../../src/server/invariants.ts'
import { type Endpoint, pathParams, toRequest } from '../../src/shared/contract.ts'
import { answerOf, comparable } from '../support/api.ts'
import { columnNames, digest } from '../support/digest.ts'
import { endpoints, fieldsOf } from '../support/registry.ts'
import {
  fullFor,
  openWorld,
  type Place,
  picture,
  place,
  type World,
  worldNow,
} from '../support/world.ts'
import { fieldSource, params, samples } from './samples.ts'

/** Every write: its log row, its key, and what it must not let in. */
let world: World
let columns: string[]
beforeAll(async () => {
  world = await openWorld()
  columns = await columnNames(world)
})
afterAll(() => world?.close())

const writes = endpoints.filter(({ endpoint }) => endpoint.kind === 'write')
// what is signed is tested with its channel (payments/server/channels.test.ts)
const json = writes.filter(({ endpoint }) => !endpoint.upload && !endpoint.signed)
const logRows = (requestId: unknown) =>
  world.sql<{ action: string; org_id: number; resource_id: string }>(
    'select action, org_id, resource_id from operation_logs where request_id = $1',
    [requestId],
  )
/**
 * The field that names the things of an act about several; of a path's thing, fields name other
 * things.
 */
const thingsOf = (endpoint: Endpoint): string | undefined =>
  pathParams(endpoint.path).length
    ? undefined
    : ['ids', 'deviceIds', 'items'].find((name) => name in fieldsOf(endpoint))
const sampleOf = (name: string) => {
  const sample = samples[name]
  if (!sample) throw new Error(`${name} has no input in test/conformance/samples.ts`)
  return sample(world)
}

/**
 * Acts about one thing by their input that make several, or move it from one organisation to
 * another.
 */
const several = new Set(['devices.createBatch', 'distribution.transfer', 'distribution.giveBack'])

/** A session is of a person, whom the row is about; menus are sorted as one tree. */
const otherwise = new Set([
  // machines that something is for, not things it is done to
  'adBindings.create',
  'adBindings.interrupt',
  'programGroups.create',
  'splitSimulations.create',
  'splitStrategies.create',
  'referrers.create',
  'audit.kick',
  'drugEvidence.make',
  'menus.sort',
])

/** A field of text that this input may carry, with another text. */
const otherOf = (endpoint: Endpoint, input: object): object => {
  const field = ['remark', 'name', 'content', 'reason'].find(
    (name) => name in fieldsOf(endpoint) && (name === 'remark' || name in input),
  )
  if ('parts' in fieldsOf(endpoint)) return { parts: ['price'] }
  if ('repair' in fieldsOf(endpoint)) return { repair: true }
  if ('laneIds' in fieldsOf(endpoint)) return { value: 209 }
  if ('paymentIds' in fieldsOf(endpoint)) return { action: 'VEND' }
  if ('evidence' in fieldsOf(endpoint)) return { evidence: 'other' }
  if ('unitId' in fieldsOf(endpoint)) return { laneId: 1 }
  if ('countedQty' in fieldsOf(endpoint)) return { countedQty: 7 }
  if ('lastClientSeq' in fieldsOf(endpoint)) return { lastClientSeq: 9 }
  if ('bankName' in fieldsOf(endpoint)) return { bankName: 'other' }
  if ('sourceNos' in fieldsOf(endpoint)) return { kind: 'SPECIAL' }
  if ('columns' in fieldsOf(endpoint)) return { columns: ['name', 'model'] }
  return field ? { [field]: 'other' } : { levels: [{ columns: 2 }] }
}

describe.each(json)('$name', ({ name, endpoint }) => {
  const things = endpoint.audit ? thingsOf(endpoint) : undefined
  it(
    endpoint.audit ? 'succeeds and leaves a log row' : 'succeeds and leaves no log row',
    async () => {
      const done = await world.call(endpoint, await sampleOf(name), {
        token: await world.login(fullFor(endpoint)),
      })
      expect([done.status, done.status === 200 ? '' : done.body]).toEqual([200, ''])
      const rows = await logRows(done.headers['x-request-id'])
      const actions = rows.map((row) => row.action)
      expect(things || several.has(name) ? [...new Set(actions)] : actions).toEqual(
        endpoint.audit ? [endpoint.audit] : [],
      )
    },
  )

  if (things && !otherwise.has(name))
    it('leaves a log row for each of its things, in the organisation that owns it', async () => {
      const sample = await sampleOf(name)
      const source = fieldSource(endpoint, things)
      const owned = (['OWN', 'CHILD'] as Place[]).map((where) => ({
        id: Number(source?.own(where, world)),
        org: place[where],
      }))
      const items = things === 'items' ? (sample[things] as { id: number }[]) : null
      // organisations, or rows of them
      const orgOf = (id: number) => (id < 1000 ? id : Math.floor(id / 1000))
      const wanted = items ? items.map(({ id }) => ({ id, org: orgOf(id) })) : owned
      // other inputs sell there
      const open = () =>
        world.sql(`update devices set lifecycle = 'OPERATING' where id = any($1)`, [
          owned.map(({ id }) => id),
        ])
      if (name === 'devices.pauseMany') await open()
      const done = await world.call(
        endpoint,
        items ? sample : { ...sample, [things]: owned.map(({ id }) => id) },
        {
          token: await world.login(fullFor(endpoint)),
        },
      )
      expect([done.status, done.status === 200 ? '' : done.body]).toEqual([200, ''])
      if (name === 'devices.pauseMany') await open()
      const rows = await logRows(done.headers['x-request-id'])
      const left = (done.body.results ?? []).flatMap(
        (result: { ok: boolean; id?: number; deviceId?: number }) =>
          result.ok ? [] : [result.id ?? result.deviceId],
      )
      expect(left.length).toBeLessThan(wanted.length)
      const key = (id: number | string, org: number) => `${id} of ${org}`
      expect(rows.map((row) => key(row.resource_id, row.org_id)).sort()).toEqual(
        wanted.flatMap(({ id, org }) => (left.includes(id) ? [] : [key(id, org)])).sort(),
      )
    })

  // one look before and one after all of it: looking at every table is what costs here
  it('leaves nothing when it is refused, and refuses every column as an extra field (mass assignment)', async () => {
    const input = await sampleOf(name)
    const own = new Set(Object.keys(fieldsOf(endpoint)))
    const extra = columns.filter((column) => !own.has(column))
    const taken = extra.filter((column) => {
      const parsed = endpoint.input.safeParse({ ...input, [column]: 1 })
      return (
        parsed.success ||
        !parsed.error.issues.some(
          (issue) => issue.code === 'unrecognized_keys' && issue.keys.includes(column),
        )
      )
    })
    expect(taken).toEqual([])
    const token = await world.login(fullFor(endpoint))
    const before = await digest(world, ['sessions', 'login_attempts'])
    const wrong = pathParams(endpoint.path).length
      ? { ...input, ...params(endpoint, null, world) }
      : { ...input, surelyUnknown: 1 }
    const refused = await world.call(endpoint, wrong, { token })
    expect(refused.status).toBe(pathParams(endpoint.path).length ? 404 : 400)
    // once through the whole stack, where a path parameter must not come in by the body either
    for (const given of [
      Object.fromEntries(extra.slice(0, 40).map((column) => [column, 1])),
      { orgId2: 1, tenantId: 1, role: 'ROLE_SUPER_ADMIN', balance: 1 },
    ]) {
      const extended = await world.call(endpoint, { ...input, ...given }, { token })
      expect([extended.status, extended.body.code]).toEqual([400, 400001])
      expect(extended.body.errors.map((e: { message: string }) => e.message)).toContain(
        '不支持的字段',
      )
    }
    const { url, body } = toRequest(endpoint, input)
    const [param] = pathParams(endpoint.path)
    if (param && body) {
      const clash = answerOf(
        await world.http.inject({
          method: endpoint.method,
          url,
          headers: { authorization: token, 'content-type': 'application/json' },
          payload: JSON.stringify({ ...body, [param]: input[param] }),
        }),
      )
      expect([clash.status, clash.body.code]).toEqual([400, 400001])
    }
    expect(await digest(world, ['sessions', 'login_attempts'])).toEqual(before)
  })

  if (endpoint.idempotent) {
    it('takes an idempotency key: one effect, the same answer again, 409 for another body', async () => {
      const input = await sampleOf(name)
      const headers = { 'idempotency-key': `test-${name}` }
      const session = await world.login(fullFor(endpoint))
      const first = await world.call(endpoint, input, { token: session, headers })
      expect([first.status, first.status === 200 ? '' : first.body]).toEqual([200, ''])
      const after = await digest(world)
      const again = await world.call(endpoint, input, { token: session, headers })
      expect([
        again.status,
        again.headers['idempotency-replayed'],
        again.status === 200 ? '' : again.body,
      ]).toEqual([200, 'true', ''])
      expect(comparable(again)).toEqual(comparable(first))
      const other = await world.call(
        endpoint,
        { ...input, ...otherOf(endpoint, input) },
        { token: session, headers },
      )
      expect([other.status, other.body.code]).toEqual([409, 409002])
      expect(await digest(world)).toEqual(after)
    })
  }
})

describe('afterwards', () => {
  it('every write has an input to be tested with', () =>
    expect(json.map(({ name }) => name).filter((name) => !samples[name])).toEqual([]))
  it('every invariant holds', async () => expect(await checkInvariants(world.ownerUrl)).toEqual([]))
  it('a column that names pictures is one the sweep of unused ones looks at', async () => {
    // what was said or answered at the time is no record that shows a picture
    const saidOnly = [
      'idempotency_keys.answer',
      'operation_logs.after',
      'operation_logs.before',
      'uploads.url',
    ]
    const texts = await world.sql<{
      t: string
      c: string
    }>(`select c.relname as t, a.attname as c from pg_class c
      join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and a.attnum > 0 and not a.attisdropped
        and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype)`)
    const holding = texts.map(
      ({ t, c }) =>
        `select '${t}.${c}' as name
          where exists (select 1 from "${t}" where "${c}"::text ~ 'files/[a-z0-9-]+[.](jpg|png)')`,
    )
    const found = (await world.sql<{ name: string }>(holding.join(' union all '))).map(
      ({ name }) => name,
    )
    const looked = [...pictureColumns, ...keptColumns].map(([t, c]) => `${t}.${c}`)
    expect(found.filter((name) => ![...looked, ...saidOnly].includes(name))).toEqual([])
    const sending = json.filter(({ endpoint }) =>
      JSON.stringify(z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })).match(
        /\^files[^"]*png/,
      ),
    )
    const silent: string[] = []
    for (const { name } of sending)
      if (!JSON.stringify(await sampleOf(name)).includes('files/')) silent.push(name)
    expect(silent, 'inputs of the samples that name no picture').toEqual([])
    // what is sold keeps its picture when the product has another one
    await world.sql(`update products set images = $1 where images && $2`, [
      [picture('OWN')],
      [picture('SIBLING')],
    ])
    for (const hours of [25, 27, 29])
      await sweepPictures({
        ...world.app,
        now: () => new Date(worldNow.getTime() + hours * 3_600_000),
      })
    const left = await world.sql<{ url: string }>(`select url from uploads where url = any($1)`, [
      [picture('OWN'), picture('SIBLING')],
    ])
    expect(left.map(({ url }) => url).sort()).toEqual([picture('OWN'), picture('SIBLING')])
  })
  it('no log row holds a secret', async () => {
    const rows = await world.sql<{ text: string }>(
      `select coalesce(before::text, '') || coalesce(after::text, '') || content as text
        from operation_logs`,
    )
    // that there is one, or another now, may be said
    const said = (text: string) =>
      text.replaceAll(/"(has(Secret|Password)|(secret|password)Changed)": (true|false)/g, '')
    expect(
      rows.filter(({ text }) => /password|secret|token|hash|argon2/i.test(said(text))),
    ).toEqual([])
  })
})
