import { createHash } from 'node:crypto'
import { renderPng } from '../../seed/pictures.ts'
import type { Db } from '../../server/database.ts'
import type { FileStore } from '../../server/files.ts'
import { addDays, dayMs, shanghaiDay } from '../../shared/instants.ts'

/** Owner, name, credit code, contact, phone, and for how many days its drug licence still holds. */
// biome-ignore format: a table
const rows = [
  ['op-xianda', '粤港商贸供应链', '91440300MA5F3K7T2G', '郑伟鹏', '13751190836', null],
  ['op-xianda', '深圳南山食品配送', '91440300MA5GJ8R414', '刘海燕', '13590237716', null],
  ['op-xianda', '鹏城饮料批发', '', '吴建国', '13430658821', null],
  ['op-huikang', '广东康泽医药', '91440300708461136T', '梁慧仪', '13802214590', 640],
  ['op-huikang', '南方药业批发', '9144030019219013XK', '邓志远', '13711895542', 21],
  ['op-xiaoyuan', '江城文教用品', '91420100MA4K2W9E6N', '夏雪', '13618634207', null],
] as const

const paper = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect width="400" height="300" fill="#FDF7EF"/><rect x="14" y="14" width="372" height="272" fill="none" stroke="#BD8343" stroke-width="4"/>
<rect x="110" y="44" width="180" height="18" fill="#85561F"/><path d="M60 110h280M60 146h280M60 182h200" stroke="#DDB98F" stroke-width="8"/>
<circle cx="310" cy="226" r="34" fill="none" stroke="#B3261E" stroke-width="5"/></svg>`

/** Who three operators buy from; drugs come from who has a licence. */
export async function seedSuppliers(
  db: Db,
  files: FileStore,
  { org }: { org: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  const bytes = await renderPng(paper)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const today = shanghaiDay(now)
  for (const [i, [owner, name, creditCode, contact, phone, days]] of rows.entries()) {
    const org_id = org.get(owner) as number
    const made = new Date(now.getTime() - (90 - i * 6) * dayMs)
    const about = { org_id, created_at: made }
    const hex = createHash('sha256').update(`demo licence ${i}`).digest('hex')
    const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
    const url = days === null ? '' : `files/${id}.png`
    if (url) {
      await files.put(`${id}.png`, bytes)
      const file = { kind: 'IMAGE' as const, mime: 'image/png', bytes: bytes.length, sha256 }
      await db
        .insertInto('uploads')
        .values({ id, user_id: null, url, ...file, ...about })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    await db
      .insertInto('suppliers')
      .values({
        name,
        credit_code: creditCode,
        contact,
        phone,
        supplies_drugs: days !== null,
        licence: url,
        licence_until: days === null ? null : addDays(today, days),
        supplier_org_id: i === 0 ? (org.get('supplier') ?? null) : null,
        status: i === 2 ? 'DISABLED' : 'ENABLED',
        ...about,
      })
      .execute()
  }
}
