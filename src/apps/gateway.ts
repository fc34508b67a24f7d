import { limits } from '../domains/machines/rules.ts'
import { openBroker } from '../domains/machines/server/broker.ts'
import { openIdentities } from '../domains/machines/server/identity.ts'
import { openIntake } from '../domains/machines/server/intake.ts'
import { openPump } from '../domains/machines/server/pump.ts'
import { openRemoteBroker } from '../domains/machines/server/remoteBroker.ts'
import { recordVend, takeCommands } from '../domains/orders/server/vend.ts'
import { reportProcess } from '../domains/settings/server/processStats.ts'
import type { App } from '../server/context.ts'
import type { Part } from './api.ts'

/** The machines' door: takes their messages in, sends them their commands. Several gateways may run. */
export async function startGateway(app: App): Promise<Part> {
  const identities = openIdentities(app)
  const intake = openIntake(app, limits, recordVend)
  const { mqttUrl } = app.config
  const link = mqttUrl ? await openRemoteBroker(app, mqttUrl, identities, intake) : await openBroker(app, identities, intake.isBanned, intake)
  intake.answerOver(link)
  reportProcess(app, 'gateway', () => link.connected().length)
  const pump = openPump(app, link, takeCommands)
  let stopped = false
  const unless = (work: () => Promise<unknown>) => async () => {
    if (!stopped) await work()
  }
  app.jobs.every('machine-commands', 1000, unless(pump))
  app.jobs.every('machine-tick', 1000, unless(intake.tick))
  app.jobs.every('machine-sweep', 5000, unless(intake.sweep))
  app.jobs.every(
    'machine-figures',
    60_000,
    unless(async () => app.log.debug({ ...intake.counts, connected: link.connected().length }, 'gateway')),
  )
  const unsubscribe = app.live.subscribe((topics) => {
    if (topics.includes('vend')) app.jobs.poke('machine-commands')
  })
  return {
    async stop() {
      stopped = true
      unsubscribe()
      await intake.drain(5000)
      await link.stop()
    },
  }
}
