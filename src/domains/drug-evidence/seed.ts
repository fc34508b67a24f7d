import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { addDays, shanghaiDay } from '../../shared/instants.ts'

/** One that the administrator has asked for: the worker makes it when it starts. */
export async function seedEvidence(db: Db, now: Date): Promise<void> {
  const today = shanghaiDay(now)
  await sql`insert into evidence_packs (no, org_id, user_id, user_name, lang, params, params_hash,
      data_as_of, device_ids, log_seq, log_hash, logs, next_at, created_at, expires_at)
    select 'EV' || ${today.replaceAll('-', '')}::text || '-000001', u.org_id, u.id, u.real_name,
      'zh-CN', jsonb_build_object('deviceIds', to_jsonb(d.ids), 'batchId', null, 'code', null,
        'from', ${addDays(today, -29)}::text, 'to', ${today}::text), 'demo',
      ${now}::timestamptz, d.ids, 0, '', false, ${now}::timestamptz,
      ${now}::timestamptz, ${now}::timestamptz + interval '3 years'
    from users u, (select array_agg(id order by id) as ids from (select id from devices
      where kind = 'DRUG' and lifecycle = 'OPERATING' order by id limit 2) x) d
    where u.username = 'admin' and d.ids is not null`.execute(db)
  await sql`insert into evidence_accesses (org_id, pack_id, user_id, user_name, what, at)
    select org_id, id, user_id, user_name, 'MAKE', created_at from evidence_packs`.execute(db)
}
