import { randomUUID } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Aedes, type AuthenticateError, type Client } from 'aedes'
import type { App } from '../../../server/context.ts'
import { platformOrg } from '../../../shared/access.ts'
import { addressOf } from '../../../shared/address.ts'
import { raiseApart } from '../../security/server/raise.ts'
import { downFilter, downTopic, parseUpTopic, upTopic } from '../protocol.ts'
import { boardNoForm, connectionLimits, frameLimits } from '../rules.ts'
import { openConnectionGuard } from './connectionGuard.ts'
import { boundedFrames, type Cut } from './frames.ts'
import { type Identities, isSame, type Known, type Machine } from './identity.ts'
import type { Link, LinkEvents } from './link.ts'
import { isAmong, takeProxyHeader } from './proxyHeader.ts'

type Connection = {
  readonly machine: Known
  readonly client: Client
  readonly at: number /** When and where, as text that sorts. */
  readonly mark: string
  hears: boolean
}
type Packet = { topic: string; payload: string | Buffer; retain: boolean; qos: 0 | 1 | 2 }

const maxConnections = 20_000
/**
 * What gateways tell one another: whose machines, by their ids, have signed in there, and when
 * (many share a name).
 */
const connectedAt = 'connected:'
const markMs = 100
/**
 * News of a sign-in take so long at most: what is younger here may be the later one, which the
 * clocks then tell, or the names.
 */
const newsMs = 1000

/**
 * The broker inside the gateway (MQTT 3.1.1). Nothing is routed between clients: what machines
 * publish goes to `events`, what they get is written to their own connection, so that a slow one
 * holds up nobody.
 */
export async function openBroker(
  app: App,
  identities: Identities,
  isBanned: (rtu: string) => boolean,
  events: LinkEvents,
  /** A number nobody knows wants in: a board that was not registered, or noise. */
  onUnknown: (boardNo: string, address: string) => void = () => {},
): Promise<Link & { shutOut(rtu: string): void }> {
  const connections = new Map<string, Connection>()
  const proven = new WeakMap<Client, Machine>()
  const addresses = new WeakMap<object, string>()
  const owners = new WeakMap<object, Machine>()
  /** Last wills that are not the machine's own, until it is known whether it is one that asks. */
  const wills = new WeakMap<Client, string>()
  const connectionGuard = openConnectionGuard(connectionLimits)
  const turnedAway = openTurnedAway(app)
  const here = randomUUID()
  const markNow = () =>
    `${connectedAt}${String(Math.floor(app.now().getTime() / markMs)).padStart(15, '0')}:${here}`
  // a machine that signs in at another gateway has left this one, although its line may look open
  // for minutes
  const unsubscribe = app.live.subscribe((topics, change) => {
    const elsewhere = new Map<number, string>()
    for (const topic of topics)
      if (topic.startsWith(connectedAt) && !topic.endsWith(here))
        for (const id of change[topic] ?? [])
          if (topic > (elsewhere.get(id) ?? '')) elsewhere.set(id, topic)
    if (elsewhere.size === 0) return
    for (const [rtu, { machine, client, at, mark }] of connections) {
      const other = elsewhere.get(machine.id)
      if (other === undefined || (performance.now() - at < newsMs && mark > other)) continue
      events.takenOver(machine)
      connections.delete(rtu)
      client.close()
    }
  })
  let stopping = false

  async function admit(
    client: Client,
    username: string | undefined,
    password: Buffer | undefined,
  ): Promise<Known | null> {
    if (stopping || !username || isBanned(username)) return null
    const claimed = password && client.id === username ? await identities.find(username) : null
    const machine = claimed && password ? await identities.prove(username, password) : null
    if (claimed && !machine) events.mistaken(claimed)
    if (!machine && boardNoForm.test(username) && !(await identities.knows(username)))
      onUnknown(username, addresses.get(client.conn) ?? '')
    return machine && events.admits(machine) ? machine : null
  }

  const broker = await Aedes.createBroker({
    connectTimeout: 20_000,
    drainTimeout: 20_000,
    maxInflightInbound: 100,
    queueLimit: 10,
    preConnect(client, packet, done) {
      // sessions are never kept, retained and endless ones not possible, whatever the client asks
      // for
      packet.clean = true
      packet.keepalive = packet.keepalive ? Math.min(packet.keepalive, 120) : 120
      const will = packet.will
      if (will) {
        will.retain = false
        if (will.topic !== upTopic(packet.username ?? '', 'bye')) wills.set(client, will.topic)
      }
      done(null, true)
    },
    authenticate(client, username, password, done) {
      const refuse = (answer: AuthenticateError) => {
        events.refused('login')
        connectionGuard.refused(addressOf(addresses.get(client.conn) ?? ''))
        done(answer, false)
      }
      admit(client, username, password).then(
        (machine) => {
          const will = wills.get(client)
          if (machine && will !== undefined) events.strayed(machine, 'WILL', will)
          if (!machine || will !== undefined) return refuse(refusal())
          // gone while it was looked up: nothing would take it out of the connections again
          if (client.closed) return done(refusal(), false)
          proven.set(client, machine)
          owners.set(client.conn, machine)
          // from here on the connection of this machine; the broker closes an older one before this
          // one is registered
          if (connections.has(machine.rtu)) {
            events.takenOver(machine)
          }
          const mark = markNow()
          connections.set(machine.rtu, {
            machine,
            client,
            at: performance.now(),
            mark,
            hears: false,
          })
          app.live.publish([mark], machine.id)
          done(null, true)
        },
        () =>
          refuse(Object.assign(new Error('unavailable'), { returnCode: 3 }) as AuthenticateError),
      )
    },
    authorizePublish(client, packet, done) {
      const machine = client && proven.get(client)
      const target = parseUpTopic(packet.topic)
      if (!client || !machine || target?.rtu !== machine.rtu) {
        events.refused('topic')
        if (machine) events.strayed(machine, 'PUBLISH', packet.topic)
        return done(refusal())
      }
      packet.retain = false
      // the last will of a connection that another one of the same machine replaced says nothing
      if (client.closed && connections.get(machine.rtu)?.client !== client) return done()
      const { payload } = packet as Packet
      events
        .receive(machine, target.kind, typeof payload === 'string' ? Buffer.from(payload) : payload)
        .then(
          () => done(),
          () => done(refusal()),
        )
    },
    authorizeSubscribe(client, subscription, done) {
      const machine = proven.get(client)
      if (!machine || subscription.topic !== downFilter(machine.rtu)) {
        events.refused('subscribe')
        if (machine) events.strayed(machine, 'SUBSCRIBE', subscription.topic)
        return done(refusal())
      }
      const connection = connections.get(machine.rtu)
      if (connection?.client === client) connection.hears = true
      done(null, subscription)
    },
  })

  broker.on('clientDisconnect', (client) => {
    const machine = proven.get(client)
    if (!machine || connections.get(machine.rtu)?.client !== client) return
    connections.delete(machine.rtu)
    if (!stopping) events.lost(machine)
  })
  for (const event of ['clientError', 'connectionError'] as const) broker.on(event, () => {})

  const isProxy = isAmong(app.config.mqttProxies)
  const server = createServer((socket: Socket) => {
    socket.setNoDelay(true)
    const peer = socket.remoteAddress ?? ''
    if (!isProxy(peer)) return receive(socket, peer)
    socket.on('error', () => {})
    void takeProxyHeader(socket).then((header) => {
      if (header) return receive(socket, header.address ?? peer)
      if (!socket.destroyed)
        app.log.warn({ proxy: peer }, 'a connection of a proxy without a PROXY header was refused')
      events.refused('proxy')
      socket.destroy()
    })
  })
  function receive(socket: Socket, address: string): void {
    const end = () => {
      events.refused('address')
      socket.destroy()
    }
    const guest = connectionGuard.arrive(addressOf(address), end)
    if (!guest) {
      turnedAway(addressOf(address))
      return end()
    }
    const cut = (why: Cut): void => {
      events.refused(why)
      const machine = owners.get(frames)
      if (machine && why === 'flood') events.flooded(machine)
    }
    const frames = boundedFrames(socket, frameLimits, cut, guest.spoke)
    socket.once('close', guest.spoke)
    addresses.set(frames, address)
    broker.handle(frames)
  }
  server.maxConnections = maxConnections
  await listen(server, app.config.host, app.config.mqttPort)

  const shutOut = (rtu: string): void => connections.get(rtu)?.client.close()
  return {
    shutOut,
    send(machine, kind, body) {
      const connection = connections.get(machine.rtu)
      // what an earlier board said is acknowledged to nobody
      if (!connection?.hears || connection.machine.epoch !== machine.epoch) return false
      const { client } = connection
      if (client.conn.writableLength > frameLimits.unread) {
        events.refused('slow')
        client.close()
        return false
      }
      const payload = Buffer.from(JSON.stringify({ ...body, ts: app.now().getTime() }))
      client.publish(
        {
          cmd: 'publish',
          topic: downTopic(machine.rtu, kind),
          payload,
          qos: 1,
          dup: false,
          retain: false,
        },
        () => {},
      )
      return true
    },
    connected: () =>
      [...connections.values()]
        .filter((connection) => connection.hears)
        .map((connection) => connection.machine),
    async recheck() {
      const known = await identities.look([...connections.keys()])
      for (const [rtu, { machine, client }] of connections) {
        if (!isSame(known.get(rtu), machine)) client.close()
      }
    },
    async stop() {
      stopping = true
      unsubscribe()
      server.close()
      await new Promise<void>((done) => broker.close(done))
    },
  }
}

const mostTold = 20
/**
 * People hear of addresses that are not heard any more, as machines behind them feel it too: one
 * write at a time, however many knock.
 */
function openTurnedAway(app: App): (address: string) => void {
  const gathered = new Map<string, number>()
  let telling = false
  async function tell(): Promise<void> {
    while (gathered.size) {
      await sleep(1000, undefined, { ref: false })
      const some = [...gathered].slice(0, mostTold)
      gathered.clear()
      for (const [subject, times] of some)
        await raiseApart(app, {
          orgId: platformOrg,
          kind: 'MACHINE_SECRET_GUESSED',
          subject,
          detail: { address: subject, times },
        })
    }
    telling = false
  }
  return (address) => {
    if (gathered.size < mostTold || gathered.has(address))
      gathered.set(address, (gathered.get(address) ?? 0) + 1)
    if (telling) return
    telling = true
    void tell()
  }
}

/** One answer for every reason: no detail reaches the sender. */
const refusal = (): AuthenticateError =>
  Object.assign(new Error('refused'), { returnCode: 5 }) as AuthenticateError

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // a fleet that comes back after an outage comes all at once
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
