import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { found } from '../../../server/context.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { rowOf } from '../../../server/rows.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shownName } from '../../split-receivers/rules.ts'
import type { withdrawals } from '../contract.ts'
import { confirmStateOf, type WithdrawalState, withdrawalErrors } from '../rules.ts'
import * as q from './queries.ts'
import { get } from './steps.ts'

/**
 * WeChat pays when the payee says yes within a day, on a page of ours that he opens in WeChat. Whoever
 * has its code sees what waits; WeChat itself lets nobody confirm but the account that is paid.
 */
type Contract = typeof withdrawals
const hash = (code: string): Buffer => createHash('sha256').update(code).digest()
const pagePath = '/confirm-transfer'

/** One code at a time: the last one that was made. */
export const confirmCode: Handlers<Contract>['confirmCode'] = async (ctx, { id }) => {
  const held = found(await q.held(ctx, id))
  const { can, confirmUntil } = await get(ctx, id)
  if (!can.confirm || !confirmUntil) throw new Refusal(withdrawalErrors.wrongState)
  const code = randomBytes(32).toString('base64url')
  await sql`update withdrawals set confirm_hash = ${hash(code)} where id = ${id}`.execute(ctx.db)
  ctx.audit({ id, name: held.no, orgId: held.orgId })
  return { url: publicLink(ctx.app.config, `${pagePath}?k=${code}`), expireTime: confirmUntil }
}

type Row = {
  state: WithdrawalState
  amount: number
  holder: string
  orgName: string
  confirmUntil: Date | null
  package: string
  mchId: string | null
  appId: string | null
}
export const lookConfirm: Handlers<Contract>['lookConfirm'] = async (ctx, { code }) => {
  const row = await rowOf<Row>(ctx.db)`select w.state, w.amount, w.holder, o.name as "orgName",
      w.confirm_until as "confirmUntil", w.confirm_package as package, c.mch_id as "mchId",
      c.app_id as "appId"
    from withdrawals w join organisations o on o.id = w.org_id
    left join payment_configs c on c.id = w.config_id where w.confirm_hash = ${hash(code)}`
  if (!row) throw new Refusal(withdrawalErrors.codeOver)
  const { amount, holder, orgName, confirmUntil, mchId, appId } = row
  const state = confirmStateOf(row, ctx.now)
  const asked = state === 'WAITING' && row.package && mchId && appId
  return {
    ...{ state, amount, orgName, holder: shownName(holder) },
    confirmUntil: confirmUntil?.toISOString() ?? null,
    pay: asked ? { mchId, appId, package: row.package } : null,
  }
}
