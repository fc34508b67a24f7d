import { beforeEach, expect, test } from 'vitest'
import { dbName, openDb } from '../../src/domains/replenishment/web/phone/db.ts'
import {
  beginVisit,
  changeEntries,
  changeVisit,
  cutOps,
  type Machine,
  opsOfVisit,
  type PhoneLane,
  unsentOf,
  visitOf,
  wipe,
  wipeOthers,
} from '../../src/domains/replenishment/web/phone/store.ts'
import { syncNow } from '../../src/domains/replenishment/web/phone/sync.ts'
import { problemOf } from '../../src/domains/replenishment/web/phone/visit.ts'
import { setToken } from '../../src/web/token.ts'
import { answer, asked, refused } from './world.tsx'

const lane = (id: number) => ({ id, productId: 7, planned: 5, flowSeq: 1 }) as PhoneLane
type Sent = { opId: string; clientSeq: number; kind: string; qty: number }
const visitPath = '/api/replenishment-visits'
let person = 100

/** A visit on the phone of a new person, and a server that keeps what it is told. */
async function world({ elsewhere = 0 } = {}) {
  person += 1
  const userId = person
  const db = await openDb(userId)
  const { clientId } = await beginVisit(db, { deviceId: 3, rtuNumber: 'HD000003', nickname: '' })
  const known = elsewhere ? 'b1a7c0de-0000-4000-8000-000000000001' : clientId
  const server = { lastSeq: elsewhere, ops: [] as Sent[], state: 'DRAFT', items: [] as object[] }
  const visit = () => ({ id: userId, clientId: known, ...server })
  answer(`POST ${visitPath}`, visit)
  const take = (body: Record<string, unknown>) => {
    const ops = body.ops as Sent[]
    const answers = ops.map(({ opId, clientSeq }) => {
      const twice = server.ops.some((op) => op.opId === opId)
      const next = clientSeq === server.lastSeq + 1
      if (next) {
        server.lastSeq = clientSeq
        server.ops.push(ops.find((op) => op.opId === opId) as Sent)
      }
      const state = twice ? 'DUPLICATE' : next ? 'APPLIED' : 'WAITING'
      return { opId, state, reason: null, laneNow: 5 }
    })
    return { lastSeq: server.lastSeq, ops: answers }
  }
  answer(`POST ${visitPath}/${known}/ops`, ({ body }) => take(body))
  answer(`POST ${visitPath}/${userId}/submit`, () => {
    server.state = 'POSTED'
    return visit()
  })
  answer(`GET ${visitPath}/${known}/result`, () => ({ visit: visit() }))
  const put = (laneId: number, change: Parameters<typeof changeEntries>[2][number]['change']) =>
    changeEntries(db, clientId, [{ lane: lane(laneId), change }])
  const submit = () =>
    changeVisit(db, clientId, () => ({
      state: 'SUBMITTED',
      submittedAt: new Date().toISOString(),
    }))
  return { db, userId, clientId, known, server, take, put, submit }
}
const lost = () => {
  throw new TypeError('Failed to fetch')
}
const opsAsked = () =>
  asked.filter(({ path }) => path.endsWith('/ops')).flatMap(({ body }) => body.ops as Sent[])

beforeEach(() => setToken('somebody'))

test('whoever sends, from how many tabs: each operation has a number of its own and goes once', async () => {
  const { db, userId, clientId, server, put } = await world()
  await put(1, { countedQty: 4 })
  await put(1, { addedQty: 3 })
  await put(2, { addedQty: 5 })
  await Promise.all([cutOps(db, clientId), syncNow(userId), cutOps(db, clientId), syncNow(userId)])
  expect(server.ops.map(({ clientSeq, kind, qty }) => `${clientSeq} ${kind} ${qty}`)).toEqual([
    '1 COUNT 4',
    '2 ADD 3',
    '3 ADD 5',
  ])
  expect(opsAsked()).toHaveLength(3)
  expect(await unsentOf(db)).toBe(0)
  // two more pieces are two more, not seven
  await put(2, { addedQty: 7 })
  await syncNow(userId)
  expect(server.ops.at(-1)).toMatchObject({ clientSeq: 4, kind: 'ADD', qty: 2 })
})

test('what was not answered goes again as it was; what the server lost, from where it stands', async () => {
  const { db, userId, clientId, known, server, take, put } = await world()
  await put(1, { addedQty: 3 })
  answer(`POST ${visitPath}/${known}/ops`, ({ body }) => {
    take(body)
    return lost()
  })
  await syncNow(userId)
  expect(await unsentOf(db)).toBe(1)
  answer(`POST ${visitPath}/${known}/ops`, ({ body }) => take(body))
  await syncNow(userId)
  expect(server.ops).toHaveLength(1)
  expect((await opsOfVisit(db, clientId)).map(({ result }) => result?.state)).toEqual(['DUPLICATE'])
  // a backup of an hour ago
  Object.assign(server, { lastSeq: 0, ops: [] })
  await put(2, { addedQty: 1 })
  await syncNow(userId)
  expect(server.ops.map(({ clientSeq }) => clientSeq)).toEqual([1, 2])
  expect(await unsentOf(db)).toBe(0)
})

test('a visit that was begun elsewhere: ours goes on behind what it holds', async () => {
  const { db, userId, clientId, server, put } = await world({ elsewhere: 3 })
  await put(1, { addedQty: 2 })
  await cutOps(db, clientId)
  await syncNow(userId)
  expect(server.ops.map(({ clientSeq }) => clientSeq)).toEqual([4])
  expect((await visitOf(db, clientId))?.lastSeq).toBe(4)
})

test('a submission whose answer was lost is not refused when it comes again', async () => {
  const { db, userId, clientId, server, put, submit } = await world()
  await put(1, { addedQty: 2 })
  await submit()
  answer(`POST ${visitPath}/${userId}/submit`, () => {
    server.state = 'POSTED'
    return lost()
  })
  await syncNow(userId)
  expect(await visitOf(db, clientId)).toMatchObject({ state: 'SUBMITTED' })
  answer(`POST ${visitPath}/${userId}/submit`, () =>
    refused(422, 'replenishment.closed', '补货单已提交，不能修改'),
  )
  await syncNow(userId)
  expect(await visitOf(db, clientId)).toMatchObject({ state: 'DONE', answer: { state: 'POSTED' } })
})

test('what is refused is kept, with the reason; what may pass is tried again', async () => {
  const { db, userId, clientId, put, submit } = await world()
  await put(1, { addedQty: 2 })
  await submit()
  answer(`POST ${visitPath}`, () => refused(503, 'common.busy', '系统繁忙，请稍后再试'))
  await syncNow(userId)
  expect(await visitOf(db, clientId)).toMatchObject({ state: 'SUBMITTED', problem: null })
  answer(`POST ${visitPath}`, () => refused(422, 'replenishment.noLonger', '您已不再负责该设备'))
  await syncNow(userId)
  expect(await visitOf(db, clientId)).toMatchObject({
    state: 'REFUSED',
    problem: '您已不再负责该设备',
  })
})

test('a visit that the server cannot take does not hold up those of other machines', async () => {
  const { db, userId, clientId, known, put, submit } = await world()
  await put(1, { addedQty: 2 })
  await submit()
  const other = await beginVisit(db, { deviceId: 4, rtuNumber: 'HD000004', nickname: '' })
  const same = await beginVisit(db, { deviceId: 3, rtuNumber: 'HD000003', nickname: '' })
  for (const status of [500, 409]) {
    answer(`POST ${visitPath}/${known}/ops`, () => refused(status, 'common.other', '系统异常'))
    await syncNow(userId)
    const servers = [clientId, other.clientId, same.clientId].map((id) => visitOf(db, id))
    expect((await Promise.all(servers)).map((visit) => visit?.server !== null)).toEqual([
      true,
      true,
      false,
    ])
  }
})

test('a phone is emptied only when nothing is left to send, and not at all without a session', async () => {
  const { db, userId, put } = await world()
  await put(1, { addedQty: 2 })
  localStorage.removeItem('Authorization')
  await syncNow(userId)
  expect(asked).toEqual([])
  expect(await wipe(userId)).toBe(false)
  expect(await unsentOf(db)).toBe(1)
  // somebody else signed in meanwhile, in another tab
  localStorage.setItem('Authorization', 'somebody else')
  await syncNow(userId)
  expect(asked).toEqual([])
  localStorage.setItem('Authorization', 'somebody')
  await syncNow(userId)
  expect(await wipe(userId)).toBe(true)
  expect((await indexedDB.databases()).map(({ name }) => name)).not.toContain(dbName(userId))
})

test('who signs in on the same phone sends nothing of another, and leaves him what he did not send', async () => {
  const away = await world()
  await away.put(1, { addedQty: 2 })
  // in another tab; this page is still there
  localStorage.setItem('Authorization', 'somebody else')
  await syncNow(away.userId)
  expect(asked).toEqual([])
  const done = await world()
  const { userId } = await world()
  await wipeOthers(userId)
  const left = (await indexedDB.databases()).map(({ name }) => name)
  expect(left).toContain(dbName(away.userId))
  expect(left).toContain(dbName(userId))
  expect(left).not.toContain(dbName(done.userId))
  expect(await unsentOf(await openDb(away.userId))).toBe(1)
  localStorage.setItem('Authorization', 'somebody')
  await syncNow(away.userId)
  expect(await unsentOf(await openDb(away.userId))).toBe(0)
})

test('what the drug guard refuses is said before it is put in, by the rules of the server', () => {
  const batch = (id: number, more: object = {}) => ({
    ...{ id, productId: 7, batchNo: `B${id}`, expiresOn: '2099-01-01', stopsOn: '2099-01-01' },
    ...{ room: null, recalled: false, ...more },
  })
  const batches = [batch(1), batch(2, { recalled: true }), batch(3, { stopsOn: '2020-01-01' })]
  const drug = { approvalNo: 'H1', dosageForm: '片剂', manufacturer: '康泽', special: false }
  const site = { today: '2026-11-21', licenceNo: '1', licenceUntil: null, licenceFits: true }
  const cool = { tempMin: null, tempMax: null }
  const open = { dispensingMode: 'UNATTENDED', site: { ...site, ...cool, pharmacist: false } }
  const says = (
    batchId: number | null,
    codes: string[],
    place: Machine['place'],
    drugClass = 'OTC_B',
  ) =>
    problemOf(
      { batches, place },
      {
        ...{ id: 1, productId: 7, capacity: 9, quantity: 0, planned: 1, traceRequired: true },
        ...{ drugClass, drug: { ...drug, ...cool }, lockReason: null },
      } as PhoneLane,
      {
        ...{ addedQty: 1, planned: 1, withdrawnQty: 0, countedQty: null, batchId, codes },
      } as never,
    )
  const shop = { kind: 'DRUG', ...open }
  expect([
    says(1, ['12345678'], shop),
    says(null, ['12345678'], shop),
    says(2, ['12345678'], shop),
    says(3, ['12345678'], shop),
    says(1, [], shop),
    says(1, ['12345678'], shop, 'RX'),
    says(1, ['12345678'], { kind: 'GENERAL', dispensingMode: null, site: null }),
  ]).toEqual([
    null,
    'batchMissing',
    'batchRecalled',
    'batchExpired',
    'codesMismatch',
    'rxRefused',
    'otcBRefused',
  ])
})
