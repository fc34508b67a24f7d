import { actionLabel, auditText } from '../domains/audit/server/actionText.ts'
import { aliases, contracts, handlers, topics } from '../domains/product.ts'
import { proofMinutes } from '../domains/session/server/factorDue.ts'
import { signedIn } from '../domains/session/server/signedIn.ts'
import * as platform from '../server/app.ts'
import type { Config } from '../server/config.ts'
import type { App } from '../server/context.ts'
import type { Product } from '../server/product.ts'

/** The business, as the platform asks for it. */
const product: Product = {
  contracts,
  topics,
  aliases,
  handlers,
  signedIn,
  proofMinutes,
  auditText,
  actionLabel,
}

/** Opens what a process needs. `now` is the server's clock; only tests give another. */
export const openApp = (config: Config, name: string, now?: () => Date): Promise<App> =>
  platform.openApp(config, product, name, now)
