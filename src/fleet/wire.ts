import mqtt, { type MqttClient } from 'mqtt'
import { downFilter, type UpKind, upTopic } from '../domains/machines/protocol.ts'
import type { Machine } from './kinds.ts'

/**
 * A machine's MQTT connection: one client per connection, because the last will names the
 * connection.
 */
export type Wire = {
  start(delayMs: number): void
  send(kind: UpKind, message: Record<string, unknown>): void
  /** Drops the connection without a word and comes back after `ms`. */
  drop(ms: number): void
  stop(): Promise<void>
}

export function openWire(url: string, rtu: string, secret: string, machine: () => Machine): Wire {
  let client: MqttClient | undefined
  let timer: NodeJS.Timeout | undefined
  let pause = 1000
  let stopped = false

  function again(ms: number): void {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(connect, ms)
  }

  function connect(): void {
    const will = {
      topic: upTopic(rtu, 'bye'),
      payload: JSON.stringify(machine().will()),
      qos: 1 as const,
      retain: false,
    }
    const fresh = mqtt.connect(url, {
      clientId: rtu,
      username: rtu,
      password: secret,
      protocolVersion: 4,
      clean: true,
      keepalive: 60,
      reconnectPeriod: 0,
      connectTimeout: 10_000,
      resubscribe: false,
      queueQoSZero: false,
      will,
    })
    client = fresh
    fresh.on('error', () => {})
    fresh.on('message', (topic, payload) => machine().hear(topic, payload))
    fresh.on('connect', () => {
      fresh.subscribe(downFilter(rtu), { qos: 1 }, (error) => {
        if (error || client !== fresh) return
        pause = 1000
        machine().connected()
      })
    })
    fresh.on('close', () => {
      if (client !== fresh) return
      client = undefined
      machine().disconnected()
      again(pause + Math.random() * 1000)
      pause = Math.min(pause * 2, 30_000)
    })
  }

  return {
    start: again,
    send(kind, message) {
      client?.publish(upTopic(rtu, kind), JSON.stringify(message), { qos: 1 }, () => {})
    },
    drop(ms) {
      const old = client
      client = undefined
      machine().disconnected()
      old?.stream.destroy()
      old?.end(true)
      again(ms)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await client?.endAsync().catch(() => {})
    },
  }
}
