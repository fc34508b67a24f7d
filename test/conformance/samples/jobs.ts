import { expect, vi } from 'vitest'
import { rowId, type World, worldNow } from '../../support/world.ts'
import { type DomainSamples, fresh, missingId } from './kit.ts'

const insert = (world: World, state: string) =>
  fresh(
    world,
    `insert into jobs (org_id, user_id, kind, name, state, finished_at, next_at, created_at)
      values (3, (select id from users where username = 'ROLE_FULL'), 'EXPORT', '/api/products',
        '${state}', ${state === 'QUEUED' ? 'null' : `'${worldNow.toISOString()}'`},
        '${worldNow.toISOString()}', '${worldNow.toISOString()}')`,
  )
const clock = async (world: World) => {
  await world.app.jobs.schedule('conformance', '0 0 1 1 *', async () => {})
  // a run that somebody asked for before comes to its end
  await vi.waitFor(async () =>
    expect(
      await world.sql(`select 1 from job_schedules
        where name = 'conformance' and (by_hand or state = 'RUNNING')`),
    ).toEqual([]),
  )
  return { name: 'conformance' }
}

export const jobs: DomainSamples = {
  pathIds: {
    'jobs id': { own: (where) => rowId(where, 1), none: missingId },
    // schedules belong to the installation, kinds to the product
    'job-console name': {
      own: (where) => (where === 'SIBLING' ? 'nothing' : 'conformance'),
      none: 'nothing',
      shared: true,
    },
    'imports kind': {
      own: (where) => (where === 'SIBLING' ? 'nothing' : 'users'),
      none: 'nothing',
      shared: true,
    },
  },
  samples: {
    'jobs.cancel': async (world) => ({ id: await insert(world, 'QUEUED') }),
    'jobs.retry': async (world) => {
      await world.sql(
        `update jobs set state = 'CANCELLED', finished_at = now() where state = 'QUEUED'`,
      )
      return { id: await insert(world, 'FAILED') }
    },
    'jobs.export': async (world) => {
      await world.sql(
        `update jobs set state = 'CANCELLED', finished_at = now() where state = 'QUEUED'`,
      )
      return { endpoint: '/api/products', query: {}, columns: ['name'] }
    },
    'jobs.runNow': clock,
    'jobs.retryFailed': clock,
    'jobs.pause': clock,
    'jobs.resume': clock,
  },
}
