import {
  type Command,
  type Down,
  isPassing,
  readDown,
  type UpKind,
} from '../domains/machines/protocol.ts'
import { openClimate } from './climate.ts'
import { nothingHeld, openDesires } from './desires.ts'
import type { Machine, MachineOptions, VendResult } from './kinds.ts'
import type { Kept } from './memory.ts'
import { openOutbox } from './outbox.ts'
import { openUpdates } from './updates.ts'

const memory = 1000
/** Older commands cannot come again: they expire after a minute. */
const lasting = 50
const perTick = 15
const isOpen = ({ state }: Kept) => state === 'accepted'

export function createMachine(options: MachineOptions): Machine {
  const { clock, random } = options
  const before = options.chip.read()
  const outbox = openOutbox(before?.messages ?? [])
  const kept = new Map((before?.kept ?? []).map((entry) => [entry.command.cmdId, entry]))
  const broken = new Set<number>()
  let boot = Math.max(options.boot, (before?.boot ?? 0) + 1)
  let seq = 0
  let hello = 0
  let helloSaid = false
  let online = false
  let welcomed = false
  /** Platform's clock minus ours. */
  let offset = 0
  let motorFreeAt = 0
  let doorOpen = false
  let alive = 0
  const climate = openClimate(random)

  const envelope = (number: number) => ({
    ts: clock.now(),
    boot,
    seq: number,
    fw: updates?.runs('FIRMWARE').versionName ?? '2.4.1',
    apk: updates?.runs('APK').versionName ?? '5.12.0',
  })

  function tell(kind: UpKind, body: Record<string, unknown>, held = false): void {
    if (isPassing(kind)) {
      if (online) options.send(kind, { ...envelope(seq), ...body })
      return
    }
    seq += 1
    outbox.add({ kind, boot, seq, body: { ...envelope(seq), ...body }, sentAt: 0, sends: 0, held })
    if (outbox.all().length <= perTick) flush()
  }

  const desires = openDesires(before?.held ?? nothingHeld(), {
    tell,
    remember: () => remember(),
    platformNow: () => clock.now() + offset,
    reboot: () => clock.later(2000, () => options.powerFails(60_000 + random.int(0, 60_000))),
    openDoor() {
      machine.door(true)
      clock.later(20_000, () => machine.door(false))
    },
    report: () => machine.telemetry(),
  })
  const { held } = desires
  const kit = options.releases
  const releases = kit && (before?.releases ?? kit.built)
  const updates =
    kit && releases
      ? openUpdates(releases, {
          tell,
          remember: () => remember(),
          platformNow: () => clock.now() + offset,
          busy: () => doorOpen || motorFreeAt > clock.now() || [...kept.values()].some(isOpen),
          // seconds in which it does not sell
          restart: () => clock.later(2000, () => options.powerFails(3000)),
          ...kit,
        })
      : null
  const remember = () =>
    options.chip.write({
      boot,
      kept: [...kept.values()].slice(-lasting),
      messages: [...outbox.all()],
      broken: [...broken],
      held,
      ...(releases ? { releases } : {}),
    })

  function flush(): void {
    if (!online || !welcomed) return
    for (const message of outbox.due(clock.now(), perTick)) put(message)
  }
  function put(message: ReturnType<typeof outbox.due>[number]): void {
    message.sentAt = clock.now()
    message.sends += 1
    options.send(message.kind as UpKind, message.body)
  }

  function sayHello(): void {
    const known = outbox
      .all()
      .find((message) => message.kind === 'hello' && message.boot === boot && message.seq === hello)
    if (known) return put(known)
    outbox.add({
      kind: 'hello',
      boot,
      seq: hello,
      body: {
        ...envelope(hello),
        rsrp: climate.rsrp,
        door: doorOpen,
        ...desires.versions(),
        ...updates?.versions(),
      },
      sentAt: 0,
      sends: 0,
      held: false,
    })
    sayHello()
  }

  /**
   * A memory that lost its boot counter continues above the platform's; so does one whose hello was
   * not taken, because it jumped.
   */
  function welcome(down: Down<'welcome'>): void {
    if (down.boot !== boot) return
    const refused =
      boot > down.lastBoot &&
      outbox
        .all()
        .some(
          (message) => message.kind === 'hello' && message.boot === boot && message.seq === hello,
        )
    if (down.lastBoot > boot || refused) {
      const old = boot
      boot = down.lastBoot + 1
      seq = 1
      hello = 1
      for (const message of outbox.all()) {
        if (message.boot !== old) continue
        if (message.kind !== 'hello') seq += 1
        Object.assign(message, { boot, seq: message.kind === 'hello' ? 1 : seq, sentAt: 0 })
        Object.assign(message.body, { boot, seq: message.seq })
      }
      return sayHello()
    }
    welcomed = true
    flush()
  }

  function keep(command: Command, state: Kept['state'], ack: string): Kept {
    const entry: Kept = { command, state, ack, result: null, dropDetected: false, durationMs: 0 }
    kept.set(command.cmdId, entry)
    if (kept.size > memory) kept.delete(kept.keys().next().value as string)
    return entry
  }
  const answer = (command: Command, ack: string, more: Record<string, unknown> = {}) =>
    tell('cmd_ack', { cmdId: command.cmdId, ack, ...more })
  const resultOf = ({ result, dropDetected, durationMs }: Kept) =>
    result ? { result, dropDetected, durationMs } : {}

  function vend(command: Command): void {
    const known = kept.get(command.cmdId)
    if (known)
      return answer(command, known.state === 'refused' ? known.ack : 'DUPLICATE', resultOf(known))
    const refuse =
      clock.now() + offset >= command.expireAt
        ? 'EXPIRED'
        : broken.has(command.lane)
          ? 'LANE_FAULT'
          : null
    if (refuse) {
      keep(command, 'refused', refuse)
      remember()
      return answer(command, refuse)
    }
    const entry = keep(command, 'accepted', 'ACCEPTED')
    remember()
    answer(command, 'ACCEPTED')
    const life = alive
    const took = 2000 + random.int(0, 4000)
    motorFreeAt = Math.max(motorFreeAt, clock.now()) + took
    clock.later(motorFreeAt - clock.now(), () => {
      if (life === alive && entry.state === 'accepted') turn(entry, took)
    })
  }

  function turn(entry: Kept, took: number): void {
    const { luck, dropSensor } = options
    const { command } = entry
    const roll = random.next()
    if (roll < luck.silent / 2) return options.powerFails(60_000 + random.int(0, 180_000))
    const stuck = roll >= luck.silent && roll < luck.silent + luck.stuck
    const noDrop =
      !stuck && dropSensor && roll >= luck.silent && roll < luck.silent + luck.stuck + luck.noDrop
    const result: VendResult = doorOpen
      ? 'DOOR_OPEN'
      : stuck
        ? 'MOTOR_NOT_MOVE'
        : noDrop
          ? 'NO_DROP'
          : 'OK'
    Object.assign(entry, {
      state: 'done',
      result,
      dropDetected: result === 'OK' && dropSensor,
      durationMs: took,
    })
    const lost = random.chance(luck.lost)
    tell('vend_result', { cmdId: command.cmdId, ...resultOf(entry) }, lost)
    remember()
    options.turned(command, result)
    if (lost) options.lineDrops(120_000 + random.int(0, 180_000))
    if (roll < luck.silent) options.powerFails(60_000 + random.int(0, 180_000))
    if (result === 'MOTOR_NOT_MOVE') breakLane(command.lane)
  }

  /** Until a repairman comes. */
  function breakLane(lane: number): void {
    machine.fault('MOTOR_NOT_MOVE', lane)
    awaitRepair(lane)
  }

  function awaitRepair(lane: number): void {
    broken.add(lane)
    remember()
    clock.later(180_000 + random.int(0, 300_000), () => {
      machine.door(true)
      clock.later(30_000 + random.int(0, 30_000), () => {
        broken.delete(lane)
        machine.door(false)
        machine.clear('MOTOR_NOT_MOVE', lane)
        remember()
      })
    })
  }

  /**
   * A question about a command, or its withdrawal: what is not done by now and never came will
   * never be done.
   */
  function ask(command: Command, withdraw: boolean): void {
    const known = kept.get(command.cmdId)
    if (known?.state === 'done')
      return tell('vend_result', { cmdId: command.cmdId, ...resultOf(known) })
    if (known?.state === 'refused') return answer(command, known.ack)
    if (known && !withdraw) return answer(command, 'ACCEPTED')
    if (known) Object.assign(known, { state: 'refused', ack: 'VOIDED' })
    else keep(command, 'refused', 'VOIDED')
    remember()
    answer(command, 'VOIDED')
  }

  /** After a start: accepted, but the motor never turned, so it will not. */
  function giveUp(): void {
    for (const entry of kept.values()) {
      if (entry.state !== 'accepted') continue
      Object.assign(entry, { state: 'refused', ack: 'EXPIRED' })
      answer(entry.command, 'EXPIRED')
    }
    desires.started()
    updates?.started()
    remember()
  }

  const machine: Machine = {
    get waiting() {
      return outbox.all().length
    },
    updates,
    get doorOpen() {
      return doorOpen
    },
    get locked() {
      return held.locked
    },
    get reportMs() {
      return (held.config?.reportSeconds ?? 300) * 1000
    },
    will() {
      if (!hello) {
        seq += 1
        hello = seq
      }
      return { ...envelope(seq), session: hello, cause: 'LAST_WILL' }
    },
    connected() {
      online = true
      welcomed = false
      helloSaid = true
      outbox.renew((message) => {
        message.held = false
        return true
      })
      sayHello()
    },
    disconnected() {
      online = false
      // a number that was never used stays reserved, or the platform would miss it
      if (helloSaid) hello = 0
      helloSaid = false
    },
    hear(topic, payload) {
      const down = readDown(topic, payload)
      if (!down) return
      offset = down.ts - clock.now()
      if (down.kind === 'ack') outbox.acknowledge(down.body.boot, down.body.seqs)
      else if (down.kind === 'welcome') welcome(down.body)
      else if (down.kind === 'resend') {
        const { boot: of, from, to } = down.body
        outbox.renew(
          (message) =>
            !message.held && message.boot === of && message.seq >= from && message.seq <= to,
        )
        flush()
      } else if (down.kind === 'config') desires.config(down.body)
      else if (down.kind === 'planogram') desires.planogram(down.body)
      else if (down.kind === 'recalls') desires.recalls(down.body)
      else if (down.kind === 'command') desires.control(down.body)
      else if (down.kind === 'apk') updates?.document('APK', down.body)
      else if (down.kind === 'firmware') updates?.document('FIRMWARE', down.body)
      else if (down.kind === 'vend') vend(down.body)
      else ask(down.body, down.kind === 'void')
    },
    heartbeat: () => tell('heartbeat', { rsrp: climate.rsrp }),
    telemetry: () => tell('telemetry', climate.measure(held.config)),
    fault: (code, lane) =>
      tell('fault', { code, ...(lane === null ? {} : { lane }), level: 'ERROR' }),
    clear: (code, lane) => tell('clear', { code, ...(lane === null ? {} : { lane }) }),
    door(open) {
      doorOpen = open
      tell('door', { open })
    },
    stock: (lanes) => tell('stock', { lanes }),
    tick() {
      if (online && !welcomed) {
        const known = outbox.all().find((message) => message.boot === boot && message.seq === hello)
        if (!known || clock.now() - known.sentAt >= 5000) sayHello()
      }
      flush()
      if (online && welcomed) void updates?.tick()
    },
    restart() {
      boot += 1
      seq = 0
      hello = 0
      helloSaid = false
      alive += 1
      motorFreeAt = 0
      giveUp()
    },
  }
  if (before) giveUp()
  for (const lane of before?.broken ?? []) awaitRepair(lane)
  return machine
}
