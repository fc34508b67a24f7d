import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow } from '../../../server/rows.ts'
import type { Provider } from '../../payment-channels/rules.ts'
import type { ChannelKeys } from '../../payment-channels/server/channels.ts'
import { openKeys } from '../../payment-channels/server/configs.ts'
import { tryChannel, tryCipher, trySimulator } from '../../payments/server/trial.ts'
import type { Step } from '../contract.ts'
import { hasDriver } from '../rules.ts'

/** `sure`: what failed does not heal by itself. */
export type Result = {
  steps: Step[]
  ok: boolean
  sure: boolean
  /** Of a channel: those that it signs with. */
  keys: ChannelKeys | null
}

/** Asks the provider of a merchant; no transaction is open meanwhile. */
export async function trial(
  app: App,
  { id, provider }: { id: number; provider: Provider },
): Promise<Result> {
  const kept = await app.database.read(
    systemScope,
    (db) =>
      onlyRow<{
        mchId: string
        appId: string
        systemId: string | null
        secrets: Buffer
        certUntil: Date | null
      }>(db)`select mch_id as "mchId", app_id as "appId", system_id as "systemId", secrets,
        cert_until as "certUntil" from payment_configs where id = ${id}`,
  )
  const keys = openKeys(app, { ...kept, provider }, kept.secrets)
  const asked = hasDriver(provider) ? await tryChannel(app, id, keys, kept.certUntil) : null
  const tried =
    asked?.steps ?? (provider === 'SIMULATOR' ? await trySimulator(app, id) : tryCipher(keys))
  return {
    keys: asked?.keys ?? null,
    steps: tried.map(({ step, ok, note }) => ({ step: step as Step['step'], ok, note })),
    ok: tried.every(({ ok }) => ok),
    sure: tried.some(({ ok, sure }) => !ok && sure),
  }
}
