import mqtt, { type IPublishPacket } from 'mqtt'
import type { App } from '../../../server/context.ts'
import { downTopic, parseUpTopic } from '../protocol.ts'
import { limits } from '../rules.ts'
import { type Identities, isSame, type Known } from './identity.ts'
import type { Link, LinkEvents } from './link.ts'

/**
 * A client of another broker (MQTT_URL): Mosquitto, EMQX. That broker proves the machines and keeps
 * them to their own topics; several gateways share the messages. A message is acknowledged to the
 * broker when there is room for it here, or its organisation has none left: then the machine hears
 * nothing and says it again.
 */
export async function openRemoteBroker(
  app: App,
  url: string,
  identities: Identities,
  events: LinkEvents,
): Promise<Link> {
  const heard = new Map<string, { machine: Known; at: number }>()
  const online = await identities.online()
  const known = await identities.look(online.map(({ machine }) => machine.rtu))
  for (const { machine, at } of online) {
    const now = known.get(machine.rtu)
    if (now?.open)
      heard.set(machine.rtu, {
        machine: now,
        at: performance.now() + Math.min(0, at.getTime() - app.now().getTime()),
      })
  }
  const { mqttAccount } = app.config
  const account = mqttAccount ? { username: mqttAccount.user, password: mqttAccount.password } : {}
  const client = mqtt.connect(url, {
    ...account,
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 1000,
    connectTimeout: 10_000,
  })
  client.on('error', (error) => app.log.warn({ err: error }, 'broker'))
  client.on('connect', () => {
    client.subscribe(
      '$share/huodao/v1/+/up/#',
      { qos: 1 },
      (error) => error && app.log.error({ err: error }, 'broker'),
    )
  })

  async function take(packet: IPublishPacket): Promise<void> {
    const target = parseUpTopic(packet.topic)
    const machine = target && !packet.retain ? await find(target.rtu) : null
    if (!target || !machine) return events.refused('topic')
    if (target.kind === 'bye') heard.delete(machine.rtu)
    else heard.set(machine.rtu, { machine, at: performance.now() })
    // one connection carries all: what one organisation has too much of waits in its machines, not
    // before everybody's
    if (events.isFull(machine)) return events.refused('full')
    await events.receive(
      machine,
      target.kind,
      typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload,
    )
  }

  /** Waits while the database is away: a message that nobody can place is not acknowledged. */
  async function find(rtu: string): Promise<Known | null> {
    for (;;) {
      try {
        return await identities.find(rtu)
      } catch (error) {
        if (client.disconnecting) return null
        app.log.warn({ err: error }, 'the database does not tell machines, holding messages')
        await new Promise((go) => setTimeout(go, 1000))
      }
    }
  }

  client.handleMessage = (packet, done) => {
    take(packet).then(
      () => done(),
      (error: Error) => done(error),
    )
  }

  return {
    send(machine, kind, body) {
      if (
        !client.connected ||
        (heard.get(machine.rtu)?.machine.epoch ?? machine.epoch) !== machine.epoch
      )
        return false
      client.publish(
        downTopic(machine.rtu, kind),
        JSON.stringify({ ...body, ts: app.now().getTime() }),
        { qos: 1 },
      )
      return true
    },
    connected() {
      const oldest = performance.now() - limits.connectedMs
      for (const [rtu, { at }] of heard) if (at < oldest) heard.delete(rtu)
      return client.connected ? [...heard.values()].map(({ machine }) => machine) : []
    },
    async recheck() {
      const known = await identities.look([...heard.keys()])
      for (const [rtu, { machine, at }] of heard) {
        const now = known.get(rtu)
        if (now && isSame(now, machine)) heard.set(rtu, { machine: now, at })
        else {
          // another's connection cannot be ended from here, and Mosquitto keeps the last will of
          // those it ends itself:
          // the machine counts as gone until it is heard again
          heard.delete(rtu)
          events.lost(machine)
        }
      }
    },
    stop: () => client.endAsync(),
  }
}
