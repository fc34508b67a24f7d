import { z } from 'zod'
import type { Ctx } from '../../../server/context.ts'
import {
  cellRefusal,
  defineImporter,
  eachRow,
  type ImportRow,
  type RowError,
} from '../../../server/importers.ts'
import * as f from '../../../shared/fields.ts'
import { bi } from '../../../shared/text.ts'
import { meant, type Named, organisationsNamed } from '../../accounts/server/named.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { boardNo, carriers, iccid } from '../contract.ts'
import { locale } from '../locale.ts'
import * as q from './queries.ts'

const megabytes = z
  .string()
  .regex(/^\d{1,7}$/, bi('流量须为整数 MB', 'Whole megabytes'))
  .optional()
const Row = z.strictObject({
  boardNo,
  model: f.optionalText(40),
  org: f.optionalText(60),
  hwVersion: f.optionalText(40),
  fwVersion: f.optionalText(40),
  iccid,
  carrier: f.optionalText(20),
  plan: f.optionalText(40),
  planMb: megabytes,
  usedMb: megabytes,
  simExpiresOn: f.day.optional(),
})
type Row = z.output<typeof Row>

/** By the words of both languages and by the identifiers. */
const carrierWords = new Map(
  carriers.flatMap((carrier) =>
    [carrier, locale.zh.enums.carrier[carrier], locale.en.enums.carrier[carrier]].map(
      (word) => [word.toLowerCase(), carrier] as const,
    ),
  ),
)

async function ownerOf(
  ctx: Ctx,
  owners: readonly Named[],
  word: string,
): Promise<{ id: number; kind: string }> {
  if (!word) return newOwner(ctx, ctx.actor.orgId)
  const owner = meant(owners, word)
  if (typeof owner === 'string') throw cellRefusal('org', owner)
  return owner
}

async function run(ctx: Ctx, rows: readonly ImportRow<Row>[]): Promise<readonly RowError[]> {
  const owners = (
    await organisationsNamed(ctx, [...new Set(rows.map(({ value }) => value.org))])
  ).filter(({ status }) => status === 'ENABLED')
  const errors = await eachRow(
    ctx,
    rows,
    async (quiet, { org, carrier, planMb, usedMb, simExpiresOn, ...row }) => {
      const known = carrier ? carrierWords.get(carrier.toLowerCase()) : null
      if (known === undefined)
        throw cellRefusal('carrier', bi('运营商不正确', 'There is no such carrier'))
      if (planMb === '0') throw cellRefusal('planMb', bi('流量须为整数 MB', 'Whole megabytes'))
      const traffic = {
        planMb: planMb ? Number(planMb) : null,
        usedMb: usedMb ? Number(usedMb) : null,
      }
      const owner = await ownerOf(quiet, owners, org)
      const board = {
        ...row,
        ...traffic,
        protocol: 'mqtt' as const,
        carrier: known,
        simExpiresOn: simExpiresOn ?? null,
      }
      const id = await q.addBoard(quiet, board, owner)
      ctx.audit({ action: 'boards.create', id, name: row.boardNo, after: board, orgId: owner.id })
    },
  )
  return errors.map((error) => (error.column === 'orgId' ? { ...error, column: 'org' } : error))
}

export const boardImporter = defineImporter<typeof Row>({
  kind: 'main-boards',
  title: bi('主板', 'Main boards'),
  permission: 'main-board:create',
  columns: [
    {
      key: 'boardNo',
      title: bi('主板编号', 'Board number'),
      required: true,
      example: 'BD3F-2200-9001',
    },
    { key: 'model', title: bi('型号', 'Model'), example: 'HD-M3' },
    {
      key: 'org',
      title: bi('所属机构', 'Organisation'),
      example: 'ORG000003',
      note: bi('机构编号或名称，空为本机构', 'Code or name; empty is your own'),
    },
    { key: 'hwVersion', title: bi('硬件版本', 'Hardware'), example: 'V3.1' },
    { key: 'fwVersion', title: bi('固件版本', 'Firmware'), example: '2.4.1' },
    {
      key: 'iccid',
      title: bi('物联卡号', 'SIM card'),
      example: '89860422010000007919',
      note: bi('19或20位数字，请设为文本格式', '19 or 20 digits, formatted as text'),
    },
    {
      key: 'carrier',
      title: bi('运营商', 'Carrier'),
      example: bi('中国移动', 'China Mobile'),
      note: bi(
        Object.values(locale.zh.enums.carrier).join('、'),
        Object.values(locale.en.enums.carrier).join(', '),
      ),
    },
    { key: 'plan', title: bi('套餐', 'Plan'), example: bi('物联 500M', 'IoT 500 MB') },
    { key: 'planMb', title: bi('套餐流量MB', 'Plan traffic MB'), example: '500' },
    { key: 'usedMb', title: bi('已用流量MB', 'Used traffic MB'), example: '120' },
    {
      key: 'simExpiresOn',
      title: bi('卡到期', 'SIM expires'),
      example: '2027-06-30',
      note: 'YYYY-MM-DD',
    },
  ],
  row: Row,
  unique: ['boardNo'],
  touches: 'main-boards',
  run,
})
