import type { Ctx } from '../../../server/context.ts'
import { menus } from '../../accounts/menus.ts'
import { permissions } from '../../accounts/permissions.ts'
import { isPlatformOnly, readOf } from '../../accounts/rules.ts'
import type { Catalogue } from '../contract.ts'
import { scopesOf } from '../rules.ts'
import { isSuper } from './assign.ts'
import * as q from './queries.ts'

/** Groups of codes that no menu has. */
const others: Readonly<Record<string, readonly [zh: string, en: string]>> = {
  home: ['首页与消息', 'Home and messages'],
  common: ['通用', 'Common'],
}
const titles = new Map<string, readonly [string, string]>([
  ...menus.map((group) => [group.name, [group.zh, group.en]] as const),
  ...Object.entries(others),
])

/** `the dashboard` as a heading. */
const heading = (en: string): string =>
  en.replace(/^the /, '').replace(/^./, (first) => first.toUpperCase())

type Group = Catalogue['groups'][number]

function groupOf(ctx: Ctx, key: string): Group {
  const [zh, en] = titles.get(key) ?? [key, key]
  const own = permissions.filter((permission) => permission.group === key)
  const blocked = (code: string) => {
    if (isSuper(ctx) || ctx.actor.permissions.has(code)) return null
    return isPlatformOnly(code) && !ctx.actor.ofPlatform
      ? ('PLATFORM_ONLY' as const)
      : ('NOT_HELD' as const)
  }
  const resources = Map.groupBy(own, (permission) => permission.code.split(':')[0] ?? '')
  return {
    key,
    zh,
    en,
    resources: [...resources].map(([resource, codes]) => ({
      key: resource,
      zh: codes[0]?.of[0] ?? resource,
      en: heading(codes[0]?.of[1] ?? resource),
      permissions: codes.map(({ code, zh: name, en: english }) => ({
        permission: code,
        zh: name,
        en: english,
        read: readOf(code),
        blocked: blocked(code),
        platformOnly: isPlatformOnly(code),
      })),
    })),
  }
}

/** How far he writes roles: by the right he acts with. */
export const reachOf = ({ actor }: Pick<Ctx, 'actor'>) => ({
  everything: actor.scope.all,
  wholeTree: actor.scope.all || actor.scope.devices === null,
})

export async function catalogue(ctx: Ctx): Promise<Catalogue> {
  const keys = [...new Set(permissions.map((permission) => permission.group))].toSorted(
    (a, b) => order(a) - order(b),
  )
  return {
    groups: keys.map((key) => groupOf(ctx, key)),
    menus: await q.menuPages(ctx.db),
    can: {
      scopes: scopesOf({ ofPlatform: ctx.actor.ofPlatform, ...reachOf(ctx) }),
      rank: Math.min(99, ctx.actor.rank),
    },
  }
}
const order = (key: string): number =>
  key === 'home' ? -1 : key === 'common' ? 1000 : menus.findIndex((group) => group.name === key)
