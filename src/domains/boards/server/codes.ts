import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { activationHours } from '../rules.ts'

/** 100 random bits in letters that people do not mix up, in groups of five. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
export const newCode = (): string =>
  (
    [...randomBytes(20)]
      .map((byte) => letters[byte & 31])
      .join('')
      .match(/.{5}/g) as string[]
  ).join('-')
export const codeHash = (code: string): Buffer =>
  createHash('sha256')
    .update(code.toUpperCase().replace(/[^0-9A-Z]/g, ''))
    .digest()

/** A code for each machine; former codes of these machines end. */
export async function newCodes(
  ctx: Ctx,
  machines: readonly { id: number; orgId: number }[],
): Promise<Map<number, string>> {
  const codes = new Map(machines.map(({ id }) => [id, newCode()]))
  const made = machines.map((machine) => ({ ...machine, code: codes.get(machine.id) as string }))
  await keepCodes(ctx, made)
  return codes
}

/** Codes that were made before their machines, in the order of a file. */
export async function keepCodes(
  ctx: Ctx,
  codes: readonly { id: number; orgId: number; code: string }[],
): Promise<void> {
  if (!codes.length) return
  await revokeCodes(
    ctx,
    codes.map(({ id }) => id),
  )
  const made = { created_by: ctx.actor.userId, created_at: ctx.now, expires_at: expiry(ctx.now) }
  await ctx.db
    .insertInto('activation_codes')
    .values(
      codes.map(({ id, orgId, code }) => ({
        org_id: orgId,
        device_id: id,
        code_hash: codeHash(code),
        ...made,
      })),
    )
    .execute()
}
export const expiry = (now: Date) => new Date(now.getTime() + activationHours * 3_600_000)

export const revokeCodes = (ctx: Ctx, deviceIds: readonly number[]) =>
  sql`update activation_codes set revoked_at = ${ctx.now}
    where device_id = any(${[...deviceIds]}::bigint[]) and used_at is null
      and revoked_at is null`.execute(ctx.db)
