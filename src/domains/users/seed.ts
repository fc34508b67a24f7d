import { createRandom } from '../../seed/random.ts'
import { staff } from '../../seed/world.ts'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'

type Ids = { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> }

/** Departments with the roles that work there; indented ones stand below the one before. */
const departments: readonly (readonly [
  org: string,
  name: string,
  below: string | null,
  roles: readonly string[],
])[] = [
  ['platform', '运营中心', null, ['ROLE_ADMIN']],
  ['platform', '客服组', '运营中心', []],
  ['platform', '财务部', null, ['ROLE_FINANCE']],
  ['op-xianda', '运维部', null, ['ROLE_RTU_REPAIRER']],
  ['op-xianda', '补货一组', '运维部', ['ROLE_RTU_REPLENISHER']],
  ['op-xianda', '财务部', null, ['ROLE_FINANCE']],
  ['op-huikang', '质量与运维', null, ['ROLE_RTU_REPAIRER', 'ROLE_RTU_REPLENISHER']],
  ['op-huikang', '财务部', null, ['ROLE_FINANCE']],
]

const requests: readonly (readonly [
  username: string,
  hoursAgo: number,
  state: 'PENDING' | 'DONE' | 'REJECTED' | 'EXPIRED',
  remark: string,
])[] = [
  ['zhongweiming', 2, 'PENDING', ''],
  ['jiangtao', 5, 'PENDING', ''],
  ['suzhihao', 49, 'DONE', ''],
  ['linmeiling', 97, 'REJECTED', '电话核实并非本人申请'],
  ['yuwenjing', 170, 'EXPIRED', ''],
]

/** Departments, who was here last, and requests for a new password. */
export async function seedUsers(db: Db, ids: Ids, now: Date): Promise<void> {
  const made = new Map<string, number>()
  for (const [sort, [orgKey, name, below, roles]] of departments.entries()) {
    const orgId = idOf(ids.org, orgKey)
    const parentId = below === null ? null : idOf(made, `${orgKey}/${below}`)
    const values = {
      org_id: orgId,
      parent_id: parentId,
      name,
      sort,
      created_at: new Date(now.getTime() - 80 * dayMs),
    }
    const { id } = await db
      .insertInto('departments')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow()
    made.set(`${orgKey}/${name}`, id)
    const people = staff
      .filter((person) => person.orgKey === orgKey && roles.includes(person.role))
      .map((person) => idOf(ids.user, person.username))
    if (people.length)
      await db.updateTable('users').set({ department_id: id }).where('id', 'in', people).execute()
  }
  for (const person of staff) {
    const random = createRandom(`seen/${person.username}`)
    // one in ten has an account and never used it
    if (random.chance(0.1)) continue
    const seen = {
      last_login_at: new Date(now.getTime() - random.int(1, 12 * 24) * 3_600_000),
      last_login_ip: `10.${random.int(8, 40)}.${random.int(0, 255)}.${random.int(2, 250)}`,
    }
    await db
      .updateTable('users')
      .set(seen)
      .where('id', '=', idOf(ids.user, person.username))
      .where('last_login_at', 'is', null)
      .execute()
  }
  const handler = idOf(ids.user, 'admin')
  const homeOf = (username: string) =>
    idOf(ids.org, staff.find((person) => person.username === username)?.orgKey ?? '')
  await db
    .insertInto('password_resets')
    .values(
      requests.map(([username, hours, state, remark]) => {
        const asked = new Date(now.getTime() - hours * 3_600_000)
        const handled =
          state === 'PENDING'
            ? null
            : new Date(asked.getTime() + (state === 'EXPIRED' ? dayMs : 2_400_000))
        const by = state === 'DONE' || state === 'REJECTED' ? handler : null
        return {
          org_id: homeOf(username),
          user_id: idOf(ids.user, username),
          method: 'ADMIN' as const,
          state,
          remark,
          created_at: asked,
          handled_at: handled,
          handled_by: by,
        }
      }),
    )
    .execute()
}

function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`the demo data names ${key}, which is not there`)
  return id
}
