import { sql } from 'kysely'
import { createRandom } from '../../seed/random.ts'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { addDays, dayMs, shanghaiDay } from '../../shared/instants.ts'
import { carriers } from './contract.ts'

type SeedIds = { org: ReadonlyMap<string, number> }
const models = ['HD-M3', 'HD-M3', 'HD-M3 Pro', 'HD-M4'] as const
const plans = [200, 500, 500, 1024] as const

/**
 * What is known of the boards in the machines and of their SIM cards, some of which run out; and
 * boards in the cupboard.
 */
export async function seedBoards(db: Db, ids: SeedIds, now: Date): Promise<void> {
  const today = shanghaiDay(now)
  const fitted = await rowsOf<{ id: number; board_no: string }>(
    db,
  )`select id, board_no from main_boards order by id`
  const sims = fitted.map(({ id, board_no }, i) => {
    const random = createRandom(`board/${board_no}`)
    const mb = plans[random.int(0, 3)] as number
    // every ninth runs out within a month, two have run out, the rest lasts
    const left =
      i % 40 === 7 ? -random.int(1, 9) : i % 9 === 4 ? random.int(0, 30) : random.int(45, 700)
    return {
      id,
      model: models[random.int(0, 3)] as string,
      hw: `V3.${random.int(0, 2)}`,
      fw: `2.4.${random.int(0, 3)}`,
      carrier: carriers[random.int(0, 9) < 7 ? 0 : random.int(1, 2)] as string,
      plan: `物联 ${mb === 1024 ? '1G' : `${mb}M`}`,
      plan_mb: mb,
      used_mb: Math.floor(mb * (random.int(4, 104) / 100)),
      until: addDays(today, left),
    }
  })
  await sql`update main_boards b
    set model = x.model, hw_version = x.hw, fw_version = x.fw, carrier = x.carrier, plan = x.plan,
      plan_mb = x.plan_mb,
      used_mb = x.used_mb, sim_expires_on = x.until
    from jsonb_to_recordset(${JSON.stringify(sims)}::jsonb)
      as x(id bigint, model text, hw text, fw text, carrier text, plan text, plan_mb int,
        used_mb int, until date) where b.id = x.id`.execute(db)
  await db
    .insertInto('main_boards')
    .values([...spares(ids, now), ...worn(ids, now)])
    .execute()
  await seedUnknown(db, ids, now)
}

/**
 * Boards nobody registered that knock since some days, one of them ignored, and one that was shown
 * a code that had expired.
 */
async function seedUnknown(db: Db, ids: SeedIds, now: Date): Promise<void> {
  const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
  const rest = {
    org_id: ids.org.get('platform') as number,
    model: '',
    hw_version: '',
    fw_version: '',
    iccid: '',
  }
  await db
    .insertInto('unknown_boards')
    .values([
      {
        ...rest,
        board_no: 'BD4A-2611-0042',
        via: 'MQTT',
        address: '120.196.8.41',
        tries: 318,
        first_seen_at: ago(320),
        last_seen_at: ago(2),
      },
      {
        ...rest,
        board_no: 'BD4A-2611-0043',
        via: 'ACTIVATION',
        address: '120.196.8.41',
        model: 'HD-M4',
        hw_version: 'V4.0',
        fw_version: '2.5.0',
        iccid: '89860426010000900043',
        tries: 3,
        first_seen_at: ago(190),
        last_seen_at: ago(176),
      },
      {
        ...rest,
        board_no: 'HD900001',
        via: 'MQTT',
        address: '223.104.67.9',
        tries: 41,
        first_seen_at: ago(3 * 1440),
        last_seen_at: ago(55),
      },
      {
        ...rest,
        board_no: 'TEST-0001',
        via: 'MQTT',
        address: '61.144.2.130',
        tries: 12,
        first_seen_at: ago(9 * 1440),
        last_seen_at: ago(700),
        ignored_at: ago(8 * 1440),
      },
    ])
    .execute()
}

/** New boards that wait for a machine: of the platform, an agent and an operator. */
function spares(ids: SeedIds, now: Date) {
  return [
    'platform',
    'platform',
    'platform',
    'agent-south',
    'agent-south',
    'agent-west',
    'op-xiaoyuan',
    'op-xiaoyuan',
    'op-xianda',
  ].map((org, i) => ({
    org_id: ids.org.get(org) as number,
    board_no: `BD4A-2610-${9001 + i}`,
    model: 'HD-M4',
    hw_version: 'V4.0',
    fw_version: '2.5.0',
    ...(i % 3 === 2
      ? {}
      : {
          iccid: String(89860426010000000000n + BigInt(i * 7919)),
          ...({ carrier: 'CMCC', plan: '物联 500M', plan_mb: 500, used_mb: 0 } as const),
          sim_expires_on: addDays(shanghaiDay(now), 720 - i),
        }),
    created_at: new Date(now.getTime() - (9 - i) * dayMs),
  }))
}

/** Boards that were replaced. */
function worn(ids: SeedIds, now: Date) {
  return ['op-xiaoyuan', 'op-xianda', 'op-huaqiang'].map((org, i) => ({
    org_id: ids.org.get(org) as number,
    board_no: `BD2C-2105-${3107 + i * 11}`,
    model: 'HD-M2',
    hw_version: 'V2.1',
    fw_version: '1.9.8',
    disabled_at: new Date(now.getTime() - (12 + i) * dayMs),
    last_seen_at: new Date(now.getTime() - (12 + i) * dayMs),
    created_at: new Date(now.getTime() - (90 - i) * dayMs),
  }))
}
