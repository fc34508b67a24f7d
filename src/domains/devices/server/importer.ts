import { z } from 'zod'
import { type Ctx, inheritable } from '../../../server/context.ts'
import {
  defineImporter,
  eachRow,
  type ImportRow,
  type RowError,
} from '../../../server/importers.ts'
import { rowsOf } from '../../../server/rows.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { regionsNamed } from '../../../shared/regions.ts'
import { bi } from '../../../shared/text.ts'
import { meant, organisationsNamed } from '../../accounts/server/named.ts'
import { keepCodes, newCode } from '../../boards/server/codes.ts'
import { CreateDevice, type kinds, rtuNumber } from '../formContract.ts'
import { checkedOwner, checkedPlace } from './checks.ts'
import { addAll } from './create.ts'

const { shape } = CreateDevice
const Row = z.strictObject({
  rtuNumber,
  nickname: shape.nickname,
  type: f.text(30, bi('请选择设备类型', 'Choose the device type')),
  boardNo: shape.boardNo,
  card: shape.card,
  province: f.text(30, bi('请选择所在地区', 'Choose the region')),
  city: f.text(30, bi('请选择所在地区', 'Choose the region')),
  county: f.text(30, bi('请选择所在地区', 'Choose the region')),
  address: shape.address,
  owner: f.optionalText(60),
})
type Row = z.output<typeof Row>
type Type = { id: number; name: string; kind: (typeof kinds)[number]; dropSensor: boolean }
/** The codes that whoever unpacks the machines shows to their boards, by machine number. */
type Ready = ReadonlyMap<string, string>

const text = {
  noType: bi('设备类型不存在', 'There is no such type'),
  noRegion: bi('地区不存在', 'There is no such region'),
  single: bi(
    '售药机须填写许可证，请单台创建',
    'Drug machines need a licence; create them one by one',
  ),
}

const levels = ['province', 'city', 'county'] as const
/** What the words of a row mean; those that mean nothing are faults, all of them at once. */
async function wordsOf(ctx: Ctx, rows: readonly ImportRow<Partial<Row>>[]) {
  const types = await rowsOf<Type>(
    ctx.db,
  )`select t.id, t.name, t.kind, t.drop_sensor as "dropSensor" from device_types t
    where ${inheritable(ctx, 't.org_id')}`
  const typeOf = new Map(types.map((type) => [type.name.toLowerCase(), type]))
  const words = rows.map(({ value }) => value.owner ?? '')
  const owners = await organisationsNamed(ctx, [...new Set(words)])
  return (row: Partial<Row>) => {
    const faults: { field: string; text: string }[] = []
    const type = typeOf.get(row.type?.toLowerCase() ?? '')
    if (!type && row.type) faults.push({ field: 'type', text: text.noType })
    if (type?.kind === 'DRUG') faults.push({ field: 'type', text: text.single })
    const found = regionsNamed(levels.flatMap((level) => row[level] ?? []))
    const missing = levels[found.length]
    if (missing && row[missing]) faults.push({ field: missing, text: text.noRegion })
    const owner = row.owner ? meant(owners, row.owner) : { id: ctx.actor.orgId }
    if (typeof owner === 'string') faults.push({ field: 'owner', text: owner })
    return { faults, type, county: found[levels.length - 1]?.code, owner }
  }
}

/** Of a row with faults of form: whether its words mean something. */
async function halves(ctx: Ctx, rows: readonly ImportRow<Partial<Row>>[]): Promise<RowError[]> {
  const meaning = await wordsOf(ctx, rows)
  return rows.flatMap(({ line, value }) =>
    meaning(value).faults.map(({ field, text }) => ({ line, column: field, text })),
  )
}

async function run(
  ctx: Ctx,
  rows: readonly ImportRow<Row>[],
  codes: Ready,
): Promise<readonly RowError[]> {
  const meaning = await wordsOf(ctx, rows)
  const added: { id: number; orgId: number; code: string }[] = []
  const errors = await eachRow(ctx, rows, async (quiet, row) => {
    const { faults, type, county, owner } = meaning(row)
    if (faults.length || !type || typeof owner === 'string')
      throw new Refusal(common.invalid, {}, faults)
    const orgId = await checkedOwner(quiet, owner.id)
    const { nickname, boardNo, card, address } = row
    const { kind, dropSensor } = type
    const given = CreateDevice.parse({
      rtuNumber: row.rtuNumber,
      nickname,
      boardNo,
      card,
      address,
      county,
      typeId: type.id,
      kind,
      dropSensor,
    })
    const { place } = await checkedPlace(quiet, given, orgId)
    const [device] = await addAll(quiet, orgId, place, [given])
    if (!device) return
    added.push({ id: device.id, orgId, code: codes.get(row.rtuNumber) as string })
    ctx.audit({
      action: 'devices.create',
      id: device.id,
      name: row.rtuNumber,
      after: { ...row, ...given, ...place, orgId },
      orgId,
    })
  })
  if (!errors.length) await keepCodes(ctx, added)
  return errors.map((error) => ({
    ...error,
    ...(error.column ? { column: columns[error.column] ?? error.column } : {}),
  }))
}
const columns: Readonly<Record<string, string>> = { typeId: 'type', kind: 'type', orgId: 'owner' }

export const deviceImporter = defineImporter<typeof Row, Ready>({
  kind: 'devices',
  title: bi('设备', 'Devices'),
  permission: 'device:import',
  fresh: true,
  columns: [
    {
      key: 'rtuNumber',
      title: bi('机器编号', 'Machine number'),
      required: true,
      example: 'HD000901',
      note: bi('4-20位，以4位以上数字结尾', 'Four to 20 characters ending in four digits'),
    },
    {
      key: 'nickname',
      title: bi('名称', 'Name'),
      required: true,
      example: bi('科技园 A 座 1 层', 'Science park A, 1F'),
    },
    {
      key: 'type',
      title: bi('类型', 'Type'),
      required: true,
      example: bi('弹簧机', 'Spring machine'),
      note: bi('已有的设备类型名称', 'Name of a device type'),
    },
    { key: 'boardNo', title: bi('主板编号', 'Board number'), example: 'BD3F-2200-9001' },
    {
      key: 'card',
      title: bi('物联卡号', 'SIM card'),
      example: '89860422010000007919',
      note: bi('19或20位数字，请设为文本格式', '19 or 20 digits, formatted as text'),
    },
    { key: 'province', title: bi('省', 'Province'), required: true, example: '广东省' },
    { key: 'city', title: bi('市', 'City'), required: true, example: '深圳市' },
    { key: 'county', title: bi('区', 'County'), required: true, example: '南山区' },
    {
      key: 'address',
      title: bi('地址', 'Street address'),
      required: true,
      example: bi('科苑路15号', 'Keyuan Road 15'),
    },
    {
      key: 'owner',
      title: bi('所属用户', 'Owner'),
      example: 'ORG000003',
      note: bi('机构编号或名称，空为本机构', 'Code or name; empty is your own'),
    },
  ],
  row: Row,
  unique: ['rtuNumber'],
  touches: 'devices',
  prepare: async (_app, rows) => new Map(rows.map(({ value }) => [value.rtuNumber, newCode()])),
  once: (codes) => ({
    label: bi(
      '激活码文件（只提供这一次，72小时内有效，主板输入或扫码后自动绑定）',
      'Activation codes (given this once, valid for 72 hours; a board binds itself with one)',
    ),
    fileName: bi('激活码.csv', 'activation-codes.csv'),
    text: `\uFEFF${[['机器编号 Machine number', '激活码 Activation code'], ...codes]
      .map((cells) => cells.join(','))
      .join('\r\n')}\r\n`,
  }),
  halves,
  run,
})
