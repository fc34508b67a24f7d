import type { Db } from '../../server/database.ts'

/** A few of the demo's people scan to sign in. */
const bound: readonly [username: string, nickname: string][] = [
  ['zhoumin', '周敏'],
  ['hejunjie', '阿杰'],
  ['qinxiaomei', '小梅'],
  ['mojunwei', '莫莫'],
]

export async function seedSession(
  db: Db,
  ids: { user: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  for (const [index, [username, nickname]] of bound.entries()) {
    const user = await db
      .selectFrom('users')
      .select(['id', 'org_id'])
      .where('id', '=', ids.user.get(username) as number)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('wechat_bindings')
      .values({
        user_id: user.id,
        org_id: user.org_id,
        openid: `demo-${username}`,
        nickname,
        bound_at: new Date(now.getTime() - (9 + index * 13) * 86_400_000),
      })
      .execute()
  }
}
