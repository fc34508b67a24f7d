import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addPermissions, grant } from '../../../../test/factories/things.ts'
import { openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { apkOf, manifestOf, zipOf } from '../demoPackage.ts'
import { keyLine, signText } from '../manifest.ts'
import { packageLimit } from '../rules.ts'

let world: World
const keys = { good: generateKeyPairSync('ed25519'), gone: generateKeyPairSync('ed25519') }
const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' })
const rights = ['read', 'create', 'update', 'delete', 'publish'].flatMap((action) => [
  `apk:${action}`,
  `firmware:${action}`,
])
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, rights)
  await grant(world.sql, [901], rights)
  await grant(world.sql, [902, 903], ['apk:read', 'firmware:read'])
  writeFileSync(world.app.config.releaseKeys, `# keys\n${keyLine(keys.good.publicKey, 'good')}\n`)
})
afterAll(() => world.close())
beforeEach(() => world.rows('truncate release_versions, release_manifests, uploads cascade'))

const send = (user: number, path: string, content: Buffer, filename = 'a.apk') => {
  const body = Buffer.concat([
    Buffer.from(
      `--x\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n--x--\r\n'),
  ])
  return world.raw(user, path, body, { 'content-type': 'multipart/form-data; boundary=x' })
}
const app = { target: 'com.huodao.vend', name: '5.13.0', code: 51300 }
const form = (change: object = {}) => ({
  ...{ name: '售货端', target: app.target, versionName: app.name, versionCode: app.code },
  ...{ notes: '修复', file: '', ...change },
})
const linked = (change: object = {}) =>
  form({ link: 'https://cdn.example.com/a', size: 9_000_000, sha256: 'a'.repeat(64), ...change })
const create = (body: object, path = '/apk-versions') =>
  world.send(people.platform, 'POST', path, body)
const files = async () =>
  (
    await readdir(world.app.files.folder, { recursive: true, withFileTypes: true }).catch(() => [])
  ).filter((entry) => entry.isFile()).length

describe('an upload', () => {
  test('says what its file says, whatever it is called, and is kept as it is', async () => {
    const bytes = apkOf(app)
    const { status, body } = await send(people.platform, '/apk-packages', bytes, '../x.exe')
    expect([status, body]).toMatchObject([
      200,
      { form: 'APK', target: app.target, versionName: '5.13.0', versionCode: 51300 },
    ])
    expect(body.size).toBe(bytes.length)
    // what is sent beside the file is not asked
    const made = await create(form({ file: body.file, versionCode: 9, target: 'com.other' }))
    expect(made.body).toMatchObject({ target: app.target, versionCode: 51300, state: 'DRAFT' })
    expect(made.body.sha256).toBe(body.sha256)
    // a file is of one version
    expect((await create(form({ file: body.file }))).status).toBe(404)
  })
  const hex = ':0400000001020304F2\r\n:00000001FF\r\n'
  test.each([
    ['apk-packages', 'nothing', Buffer.alloc(0), 400],
    ['apk-packages', 'a text', Buffer.from('hello'), 415],
    ['apk-packages', 'a zip that is no app', zipOf({ 'a.txt': Buffer.from('x') }), 415],
    ['apk-packages', 'half an app', apkOf(app).subarray(0, 150), 415],
    [
      'apk-packages',
      'a manifest in text',
      zipOf({ 'AndroidManifest.xml': Buffer.from('<manifest/>') }),
      422,
    ],
    ['apk-packages', 'no package', apkOf({ ...app, target: 'x' }), 422],
    ['apk-packages', 'code 0', apkOf({ ...app, code: 0 }), 422],
    [
      'apk-packages',
      'a cut manifest',
      zipOf({ 'AndroidManifest.xml': manifestOf(app).subarray(0, 200) }),
      422,
    ],
    [
      'apk-packages',
      'a bomb',
      zipOf({ 'AndroidManifest.xml': Buffer.alloc(64 * 1024 * 1024) }),
      415,
    ],
    [
      'apk-packages',
      '8 MB and a byte',
      Buffer.concat([apkOf(app), Buffer.alloc(packageLimit)]),
      413,
    ],
    ['firmware-packages', 'an app', apkOf(app), 415],
    ['firmware-packages', 'a pdf', Buffer.from('%PDF-1.7 and more than that'), 415],
    ['firmware-packages', 'hex with a wrong sum', Buffer.from(hex.replace('F2', 'F3')), 415],
    ['firmware-packages', 'hex without its end', Buffer.from(hex.slice(0, 22)), 415],
    ['firmware-packages', 'a cut zip', zipOf({ a: Buffer.alloc(50) }).subarray(0, 40), 415],
  ] as const)('%s refuses %s', async (path, _what, bytes, status) => {
    const before = await files()
    expect((await send(people.platform, `/${path}`, bytes)).status).toBe(status)
    expect(await files()).toBe(before)
    expect(await world.rows('select from uploads')).toEqual([])
  })
  test('of firmware: hex, zip and plain bytes', async () => {
    const forms = []
    for (const bytes of [
      Buffer.from(hex),
      zipOf({ 'fw.bin': Buffer.alloc(9) }),
      Buffer.alloc(64, 7),
    ])
      forms.push((await send(people.platform, '/firmware-packages', bytes)).body.form)
    expect(forms).toEqual(['HEX', 'ZIP', 'BIN'])
  })
})

test('a draft is checked, edited, deleted; codes of a package only grow', async () => {
  expect((await create(form())).body.errors[0].field).toBe('file')
  expect((await create(linked({ sha256: '' }))).status).toBe(400)
  for (const change of [
    { notes: ' ' },
    { versionName: '1.0.0-<x>' },
    { versionName: '' },
    { versionName: '1'.repeat(256) },
    { link: 'http://x.example' },
    { link: 'javascript:alert(1)' },
    { balance: 1 },
  ])
    expect([change, (await create(linked(change))).status]).toEqual([change, 400])
  const { body } = await create(linked())
  expect((await create(linked({ versionCode: 51299 }))).body).toMatchObject({
    ...{ error: 'releases.codeTooLow', errors: [{ field: 'versionCode' }] },
  })
  expect((await create(linked())).body.error).toBe('releases.codeTooLow')
  expect((await create(linked({ target: 'com.other.app' }))).status).toBe(200)
  const at = `/apk-versions/${body.id}`
  expect((await world.send(people.platform, 'GET', `/firmware-versions/${body.id}`)).status).toBe(
    404,
  )
  const edited = await world.send(people.platform, 'PUT', at, {
    ...linked({ versionCode: 51301 }),
    version: 1,
  })
  expect(edited.body).toMatchObject({ versionCode: 51301, version: 2 })
  expect((await world.send(people.platform, 'PUT', at, { ...linked(), version: 1 })).status).toBe(
    409,
  )
  expect((await world.send(people.agent, 'GET', at)).body.can).toEqual({
    ...{ update: false, delete: false, publish: false, issue: false },
    withdraw: false,
    rollout: false,
  })
  expect((await world.send(people.stranger, 'GET', at)).status).toBe(403)
  expect((await world.send(people.platform, 'DELETE', `${at}?version=2`)).body).toEqual({
    ok: true,
  })
  expect(
    await world.rows('select from release_manifests where version_id = $1', [body.id]),
  ).toEqual([])
})

test('only the signature of a known key over the newest manifest publishes', async () => {
  const { body: made } = await create(linked())
  const at = `/apk-versions/${made.id}`
  const text = async () => (await world.send(people.platform, 'GET', `${at}/manifest`)).body
  const publish = async (signature: string) => {
    const { version } = (await world.send(people.platform, 'GET', at)).body
    return world.send(people.platform, 'POST', `${at}/publish`, { version, signature })
  }
  const first = await text()
  expect(JSON.parse(first.manifest)).toMatchObject({
    ...{ serial: first.serial, kind: 'APK', target: app.target, versionCode: 51300 },
    ...{ sha256: 'a'.repeat(64), size: 9_000_000, downgrade: false },
  })
  const good = signText(pem(keys.good.privateKey), first.manifest)
  const wrong = [
    signText(pem(keys.gone.privateKey), first.manifest),
    signText(pem(keys.good.privateKey), first.manifest.replace('51300', '51301')),
    signText(pem(keys.good.privateKey), `${first.manifest} `),
    good.replace(/:./, (head) => (head === ':A' ? ':B' : ':A')),
    good.slice(0, -3),
    'x',
  ]
  for (const signature of wrong)
    expect((await publish(signature)).body).toMatchObject({ error: 'releases.badSignature' })
  expect((await publish(good)).body).toMatchObject({ state: 'PUBLISHED' })
  expect((await world.send(people.agent, 'GET', '/apk-versions/options')).body.list).toHaveLength(1)
  // published: only words change
  const { version } = (await world.send(people.platform, 'GET', at)).body
  const put = (change: object) =>
    world.send(people.platform, 'PUT', at, { ...linked(change), version })
  expect((await put({ versionCode: 60000 })).body.error).toBe('releases.fileFixed')
  expect((await put({ notes: '改说明' })).body).toMatchObject({ notes: '改说明' })
  const remove = await world.send(people.platform, 'DELETE', `${at}?version=${version + 1}`)
  expect(remove.body.error).toBe('releases.wrongState')
  // issued again, that one has to be signed
  const issued = await world.send(people.platform, 'POST', `${at}/manifests`, {
    ...{ version: version + 1, days: 1, downgrade: true },
  })
  expect(issued.body).toMatchObject({ downgrade: true, signed: false })
  expect(issued.body.serial).toBeGreaterThan(first.serial)
  expect((await publish(good)).body.error).toBe('releases.badSignature')
  const second = signText(pem(keys.good.privateKey), issued.body.manifest)
  expect((await publish(second)).body).toMatchObject({ downgrade: true })
  const now = (await world.send(people.platform, 'GET', at)).body.version
  const withdrawn = await world.send(people.platform, 'POST', `${at}/withdraw`, { version: now })
  expect(withdrawn.body).toMatchObject({ state: 'WITHDRAWN', can: { update: false } })
  expect((await world.send(people.agent, 'GET', '/apk-versions/options')).body.list).toEqual([])
})
