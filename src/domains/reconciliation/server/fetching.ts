import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { oneFile } from '../../../server/oneFile.ts'
import { exists, rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { tenantOf } from '../../../server/shares.ts'
import { clock } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { readBillFile } from '../../payment-channels/server/billFile.ts'
import { connectedTo } from '../../payment-channels/server/configs.ts'
import { type Account, billsName, mayHaveBill, replaceBill } from '../../payments/server/bills.ts'
import { isForeign, replaceFunds } from '../../payments/server/funds.ts'
import { mayHaveShares, replaceShares } from '../../payments/server/splitBills.ts'
import { type reconciliation, reconciliationErrors } from '../contract.ts'
import { billTypeOf, runLimits } from '../rules.ts'
import { openRun } from './openRun.ts'
import * as q from './queries.ts'

type Contract = typeof reconciliation

/** The account of a configuration that this person sees; the simulator is the platform's. */
async function accountOf(ctx: Ctx, configId: number | null): Promise<Account> {
  if (configId === null) {
    const { scope } = ctx.actor
    if (!scope.all && !scope.orgs.includes(platformOrg)) throw new Refusal(common.notFound)
    return { provider: 'SIMULATOR', configId, orgId: platformOrg }
  }
  return found(
    await rowOf<Account>(ctx.db)`select c.provider, c.id as "configId", c.org_id as "orgId"
      from payment_configs c where c.id = ${configId} and ${visible(ctx, 'c.org_id')}`,
  )
}

/** Days whose bill there may be. */
function checkDay(ctx: Pick<Ctx, 'now'>, day: string): void {
  const today = shanghaiDay(ctx.now)
  if (day >= today || day < addDays(today, -runLimits.days))
    throw new Refusal(reconciliationErrors.noRun)
}

export const fetch: Handlers<Contract>['fetch'] = async (
  ctx,
  { configId, billDate: day, billType: part },
) => {
  checkDay(ctx, day)
  const account = await accountOf(ctx, configId)
  // of one that cannot be asked a bill would be missing for ever
  if (
    configId !== null &&
    !(await exists(ctx.db)`select from payment_configs c
      where c.id = ${configId} and ${mayHaveBill(day)}`)
  )
    throw new Refusal(reconciliationErrors.noRun)
  if (
    part === 'SPLIT' &&
    !(await exists(ctx.db)`select where
      ${mayHaveShares(sql`${account.provider}::text`, sql`${configId}::bigint`)}`)
  )
    throw new Refusal(reconciliationErrors.noRun)
  await openRun(ctx, account, day, part)
  // who is at it goes on; the bill is asked for once more when he is done
  await sql`insert into payment_bill_days as d (org_id, provider, config_id, day, bill_type,
      next_at)
    values (${account.orgId}, ${account.provider}, ${configId}::bigint, ${day}::date,
      ${billTypeOf[part]}, ${clock(ctx.app)})
    on conflict (provider, config_id, day, bill_type) do update
      set state = 'WAITING', next_at = excluded.next_at, attempts = 0
      where d.state in ('DONE','FAILED')`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(billsName))
  const run = found(await q.runOf(ctx, account, day, part))
  ctx.audit({ id: run.id, name: `${day} ${run.merchant || run.provider}`, orgId: account.orgId })
  ctx.touch('reconciliation', account.orgId)
  return run
}

type Kept = { run: NonNullable<Awaited<ReturnType<typeof q.account>>>; lines: number; bad: number }
export const upload = prepared<Contract['upload'], Kept>({
  async prepare(app, { id }, request, actor) {
    const { bytes } = await oneFile(request, tenantOf(actor), runLimits.fileBytes, {
      notMultipart: reconciliationErrors.noFile,
      tooLarge: reconciliationErrors.fileTooLarge,
      noFile: reconciliationErrors.noFile,
    })
    // the row as this person sees it, before anything of the file is looked at
    const run = found(
      await app.database.read(actor.scope, (db) => q.account({ actor, db } as Ctx, id)),
    )
    if (run.configId === null) throw new Refusal(reconciliationErrors.simulated)
    checkDay({ now: app.now() }, run.day)
    const connected = await connectedTo(app, run.configId)
    if (!connected) throw new Refusal(common.notFound)
    const read = await readBillFile(app, connected.merchant, bytes, {
      orgId: tenantOf(actor),
      most: runLimits.rows,
      type: billTypeOf[run.part],
    })
    if ('fault' in read)
      throw new Refusal(
        read.other ? reconciliationErrors.otherMerchant : reconciliationErrors.noFile,
        { why: read.fault },
      )
    const account = { provider: run.provider, configId: run.configId, orgId: run.orgId } as Account
    if (read.type === 'FUND' && (await isForeign(app, account, read.rows)))
      throw new Refusal(reconciliationErrors.otherMerchant)
    const { lines } = await bySystem(app, async (ctx) => {
      await openRun(ctx, account, run.day, run.part)
      if (read.type === 'SPLIT') return replaceShares(ctx, account, run.day, read.rows)
      return read.type === 'FUND'
        ? replaceFunds(ctx, account, run.day, read.rows)
        : replaceBill(ctx, account, run.day, read.rows)
    })
    app.jobs.poke(billsName)
    return {
      run,
      lines,
      bad: read.rows.filter((row: { kind: string }) => row.kind === 'BAD').length,
    }
  },
  async run(ctx, _input, { run, lines, bad }) {
    ctx.audit({
      id: run.id,
      name: `${run.day} ${run.provider}`,
      orgId: run.orgId,
      after: { lines, badLines: bad },
    })
    ctx.touch('reconciliation', run.orgId)
    return { lines, badLines: bad }
  },
})
