import { randomUUID } from 'node:crypto'
import { recipientToken } from '../../../src/domains/alerts/server/recipients.ts'
import { type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own } from './kit.ts'

const at = `'${worldNow.toISOString()}'`
const alert = (world: World) =>
  fresh(
    world,
    `insert into alerts (org_id, device_id, kind, subject, level, since, opened_at, created_at)
      values (3, ${own}, 'FAULT', '${randomUUID().slice(0, 8)}', 'ERROR', ${at}, ${at}, ${at})`,
  )
const channel = (world: World) =>
  fresh(
    world,
    `insert into alert_channels (org_id, type, name, url)
      values (3, 'WEBHOOK', '渠', 'https://192.0.2.1/x')`,
  )
const webhook = { name: '渠', url: 'https://1.1.1.1/x' }

export const alerts: DomainSamples = {
  pathIds: { 'alerts id': byRow, 'alert-channels id': byRow },
  fieldIds: { 'alerts ids': byRow, 'alert-rules channelIds': byRow },
  samples: {
    'alerts.acknowledge': async (world) => ({ ids: [await alert(world)], remark: '看' }),
    'alerts.close': async (world) => ({ ids: [await alert(world)], remark: '好了' }),
    'alerts.saveRule': async (world) => {
      const [rule] = await world.sql<{ version: number }>(
        `select version from alert_rules where org_id = 3 and kind = 'DOOR_OPEN'`,
      )
      return {
        kind: 'DOOR_OPEN',
        version: rule?.version ?? 0,
        enabled: true,
        threshold: 5 + Math.floor(Math.random() * 1000),
        channelIds: [own],
      }
    },
    'alerts.confirmMail': async (world) => {
      const asked = { org_id: 3, address: `${randomUUID()}@example.com`, asked_at: worldNow }
      const id = await fresh(
        world,
        `insert into alert_recipients (org_id, address, asked_at, state)
          values (3, '${asked.address}', ${at}, 'SENT')`,
      )
      return { token: recipientToken(world.app, { ...asked, id }) }
    },
    'alerts.createChannel': async () => ({
      type: 'EMAIL',
      name: '邮',
      recipients: ['a@example.com'],
    }),
    'alerts.updateChannel': async (world) => ({ id: await channel(world), version: 1, ...webhook }),
    'alerts.removeChannel': async (world) => ({ id: await channel(world), version: 1 }),
    'alerts.testChannel': async (world) => ({ id: await channel(world) }),
    'alerts.saveMailServer': async (world) => {
      const [server] = await world.sql<{ version: number }>(
        'select version from alert_mail_servers where org_id = 3',
      )
      return {
        version: server?.version ?? 0,
        host: '1.1.1.1',
        port: 1 + Math.floor(Math.random() * 60_000),
        security: 'TLS',
        sender: 'a@example.com',
      }
    },
  },
}
