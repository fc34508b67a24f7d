import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Config } from '../../../server/config.ts'
import { keyFor } from '../../../server/secretBox.ts'
import { Refusal } from '../../../shared/errors.ts'
import { sessionErrors } from '../contract.ts'

/**
 * Who a phone is. A driver answers an identity; we sign it, and the phone shows the signed text at
 * every step of a scan.
 */
export type Who = { openid: string; unionid: string; nickname: string }
export type IdentityProvider = {
  readonly name: 'wechat' | 'simulated'
  /** Where the phone goes first; null when the provider needs no visit. */
  authorizeUrl(redirect: string, state: string): string | null
  identify(given: {
    oauthCode: string | undefined
    nickname: string | undefined
  }): Promise<Who | null>
}

const timeoutMs = 5000
/** Minutes a WeChat identity counts; the made-up one of the demo stays with its phone. */
const wechatMinutes = 10

const Answer = z.looseObject({
  errcode: z.number().optional(),
  access_token: z.string().optional(),
  openid: z.string().optional(),
  unionid: z.string().optional(),
  nickname: z.string().optional(),
})

async function ask(url: string): Promise<z.infer<typeof Answer>> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  }).catch(() => null)
  const parsed = Answer.safeParse(response?.ok ? await response.json().catch(() => null) : null)
  if (!parsed.success) throw new Refusal(sessionErrors.identityDown)
  return parsed.data
}

const wechat = ({ wechatAppId, wechatAppSecret, wechatApiBase }: Config): IdentityProvider => ({
  name: 'wechat',
  authorizeUrl: (redirect, state) =>
    `https://open.weixin.qq.com/connect/oauth2/authorize?${new URLSearchParams({ appid: wechatAppId, redirect_uri: redirect, response_type: 'code', scope: 'snsapi_userinfo', state })}#wechat_redirect`,
  async identify({ oauthCode }) {
    if (!oauthCode) return null
    const query = new URLSearchParams({
      appid: wechatAppId,
      secret: wechatAppSecret,
      code: oauthCode,
      grant_type: 'authorization_code',
    })
    const token = await ask(`${wechatApiBase}/sns/oauth2/access_token?${query}`)
    // a used or made-up code
    if (token.errcode || !token.openid || !token.access_token)
      throw new Refusal(sessionErrors.badIdentity)
    const person = await ask(
      `${wechatApiBase}/sns/userinfo?${new URLSearchParams({ access_token: token.access_token, openid: token.openid, lang: 'zh_CN' })}`,
    )
    return {
      openid: token.openid,
      unionid: token.unionid ?? '',
      nickname: (person.nickname ?? '').slice(0, 60),
    }
  },
})

/** Any browser is somebody: for the demo only. */
const simulated: IdentityProvider = {
  name: 'simulated',
  authorizeUrl: () => null,
  identify: async ({ nickname }) =>
    nickname ? { openid: `sim-${randomUUID()}`, unionid: '', nickname } : null,
}

/** WeChat wants the address phones come back to; a request does not choose it. */
export const identityProvider = (config: Config): IdentityProvider | null =>
  config.wechatAppId && config.wechatAppSecret && config.publicUrl
    ? wechat(config)
    : config.demo
      ? simulated
      : null

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
const signature = (config: Config, body: string) =>
  createHmac('sha256', keyFor(config, 'session.identity')).update(body).digest('base64url')

const Sealed = z.strictObject({
  provider: z.enum(['wechat', 'simulated']),
  openid: z.string(),
  unionid: z.string(),
  nickname: z.string(),
  until: z.number().nullable(),
})

export function signIdentity(
  config: Config,
  provider: IdentityProvider,
  who: Who,
  now: Date,
): string {
  const until = provider.name === 'wechat' ? now.getTime() + wechatMinutes * 60_000 : null
  const body = Buffer.from(JSON.stringify({ provider: provider.name, ...who, until })).toString(
    'base64url',
  )
  return `${body}.${signature(config, body)}`
}

/** Null unless we signed it for the provider that is set up now, and it still counts. */
export function readIdentity(config: Config, text: string, now: Date): Who | null {
  const [body = '', mac = ''] = text.split('.')
  const right = Buffer.from(signature(config, body))
  const given = Buffer.from(mac)
  if (right.length !== given.length || !timingSafeEqual(right, given)) return null
  const found = Sealed.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (
    found.provider !== identityProvider(config)?.name ||
    (found.until !== null && found.until < now.getTime())
  )
    return null
  return { openid: found.openid, unionid: found.unionid, nickname: found.nickname }
}
