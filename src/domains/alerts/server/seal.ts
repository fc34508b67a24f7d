import type { Config } from '../../../server/config.ts'
import { openSecret, sealSecret } from '../../../server/secretBox.ts'

/** Secrets of channels at rest. */
export type Place = `${'alert_channels.secret' | 'alert_mail_servers.password'}|${number}`
const use = 'alerts.channels'

export const seal = (config: Pick<Config, 'secretKey'>, place: Place, text: string): Buffer =>
  sealSecret(config, use, place, text)
export const unseal = (config: Pick<Config, 'secretKey'>, place: Place, sealed: Buffer): string =>
  openSecret(config, use, place, sealed)
