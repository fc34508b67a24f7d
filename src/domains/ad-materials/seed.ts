import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { productSvg, renderPng } from '../../seed/pictures.ts'
import type { Db } from '../../server/database.ts'
import type { FileStore } from '../../server/files.ts'
import { addDays, dayMs, shanghaiDay } from '../../shared/instants.ts'

type Tint = Parameters<typeof productSvg>[1]
type Kind = Parameters<typeof productSvg>[0]
type Made = readonly [
  owner: string,
  name: string,
  caption: string,
  kind: Kind,
  tints: readonly [ground: string, tint: Tint],
  state: 'APPROVED' | 'PENDING' | 'REJECTED',
  tags: readonly string[],
  licenceNo: string,
  /** Days from today until its last one. */
  ends: number | null,
]
/** One of them waits for review, one ends within the week, one is of a drug. */
const rows: readonly Made[] = [
  [
    'platform',
    '扫码即购，无需排队',
    '微信、支付宝扫码购买',
    'cup',
    ['#12507B', 'blue'],
    'APPROVED',
    ['NOTICE'],
    '',
    null,
  ],
  [
    'sponsor',
    '夏日冰饮第二件半价',
    '第二件半价',
    'bottle',
    ['#0F6E56', 'green'],
    'APPROVED',
    ['PROMOTION'],
    '',
    5,
  ],
  [
    'agent-south',
    '早餐燕麦杯新品',
    '早上好',
    'bag',
    ['#8A5A12', 'amber'],
    'APPROVED',
    ['BRAND'],
    '',
    120,
  ],
  [
    'agent-south',
    '秋冬热饮',
    '天冷喝点热的',
    'can',
    ['#7B2D26', 'rose'],
    'PENDING',
    ['PROMOTION'],
    '',
    90,
  ],
  [
    'op-huikang',
    '创可贴家庭装',
    '小伤口随手贴',
    'box',
    ['#2B5E8C', 'blue'],
    'APPROVED',
    ['MEDICAL'],
    '粤械广审(文)第261120-00123号',
    200,
  ],
  [
    'op-xiaoyuan',
    '开学第一周',
    '早餐八折',
    'bag',
    ['#1F5A8A', 'blue'],
    'APPROVED',
    ['PROMOTION'],
    '',
    60,
  ],
  [
    'op-xianda',
    '写字楼会员日',
    '每周三会员日',
    'bag',
    ['#3F3A7A', 'violet'],
    'REJECTED',
    ['PROMOTION'],
    '',
    null,
  ],
]
/** A wide picture without any text: the caption is drawn by the screen. */
const wide = (kind: Kind, ground: string, tint: Tint) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720" viewBox="0 0 1280 720">
<rect width="1280" height="720" fill="${ground}"/><circle cx="1010" cy="120" r="360" fill="#fff" fill-opacity=".07"/>
<circle cx="180" cy="660" r="280" fill="#fff" fill-opacity=".06"/>
<svg x="420" y="120" width="440" height="440" viewBox="0 0 400 400">${productSvg(kind, tint)
    .replace(/^<svg[^>]*>\s*<rect[^>]*\/>/, '')
    .replace(/<\/svg>$/, '')}</svg></svg>`

export async function seedAdMaterials(
  db: Db,
  files: FileStore,
  { org, user }: { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  const today = shanghaiDay(now)
  for (const [i, row] of rows.entries()) {
    const [owner, name, caption, kind, [ground, tint], state, tags, licence_no, ends] = row
    const bytes = await renderPng(wide(kind, ground, tint))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const hex = createHash('sha256').update(`demo advertisement ${i}`).digest('hex')
    const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
    const org_id = org.get(owner) as number
    const created_at = new Date(now.getTime() - (40 - i * 5) * dayMs)
    const measured = { bytes: bytes.length, sha256, width: 1280, height: 720 }
    const url = `files/${id}.png`
    await files.put(`${id}.png`, bytes)
    await db
      .insertInto('uploads')
      .values({
        id,
        org_id,
        user_id: null,
        kind: 'IMAGE',
        mime: 'image/png',
        url,
        created_at,
        ...measured,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const material = await db
      .insertInto('ad_materials')
      .values({
        ...{ org_id, name, kind: 'IMAGE', file: url, ...measured, state, licence_no, created_at },
        reason: state === 'REJECTED' ? '画面与会员日内容不符' : '',
        tags: [...tags],
        valid_until: ends === null ? null : addDays(today, ends),
        created_by: user.get('agent') ?? null,
        reviewed_at: state === 'PENDING' ? null : created_at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('ad_creatives')
      .values({
        org_id,
        material_id: material.id,
        title: name,
        seconds: 8 + i,
        caption,
        created_at,
      })
      .execute()
  }
}

/** Groups of what is approved: one for the screen at rest, one for whoever waits for his goods. */
export async function seedProgramGroups(db: Db, org: ReadonlyMap<string, number>): Promise<void> {
  for (const [owner, name, slot, windows, state, names] of [
    ['platform', '平台默认节目', 'FULL', '{[0,1440)}', 'ENABLED', ['扫码即购，无需排队']],
    [
      'agent-south',
      '夏日冰饮',
      'FULL',
      '{[420,1320)}',
      'ENABLED',
      ['夏日冰饮第二件半价', '早餐燕麦杯新品'],
    ],
    ['agent-south', '出货等待', 'VEND_WAIT', '{[0,1440)}', 'ENABLED', ['早餐燕麦杯新品']],
    ['op-xiaoyuan', '课间节目', 'FULL', '{[0,1440)}', 'ENABLED', ['开学第一周']],
    ['op-huikang', '健康提示', 'HALF', '{[0,360),[1320,1440)}', 'DRAFT', ['创可贴家庭装']],
  ] as const) {
    const org_id = org.get(owner) as number
    const group = await db
      .insertInto('program_groups')
      .values({ org_id, name, slot_kind: slot, windows, state, transition: 'FADE' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await sql`insert into program_group_items (group_id, org_id, position, creative_id, seconds)
      select ${group.id}, ${org_id}, row_number() over (order by id), id, seconds
      from ad_creatives where title = any(${[...names]}::text[])`.execute(db)
  }
}
