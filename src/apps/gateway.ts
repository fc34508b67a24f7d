import { recallDocuments } from '../domains/batches/server/document.ts'
import { sightingsOf } from '../domains/boards/server/sightings.ts'
import { recordControls, takeControls } from '../domains/device-commands/server/gateway.ts'
import { configDocuments } from '../domains/device-settings/server/document.ts'
import { planogramDocuments } from '../domains/lanes/server/documents.ts'
import { limits } from '../domains/machines/rules.ts'
import { openBroker } from '../domains/machines/server/broker.ts'
import { keepBrokerFiles } from '../domains/machines/server/brokerFiles.ts'
import { controlMessage } from '../domains/machines/server/controls.ts'
import { type Documents, inParts, openDocumentPump } from '../domains/machines/server/documents.ts'
import { openIdentities } from '../domains/machines/server/identity.ts'
import { openIntake } from '../domains/machines/server/intake.ts'
import { openPump, vendMessage } from '../domains/machines/server/pump.ts'
import { openRemoteBroker } from '../domains/machines/server/remoteBroker.ts'
import { leaveQueue, tellQueue } from '../domains/orders/server/queue.ts'
import { recordVend, takeCommands } from '../domains/orders/server/vend.ts'
import { releaseDocuments } from '../domains/releases/server/document.ts'
import { recordReleases } from '../domains/releases/server/words.ts'
import { reportProcess } from '../domains/settings/server/processStats.ts'
import { type App, systemActor } from '../server/context.ts'
import type { Part } from './api.ts'

/** Who writes what machines should have. */
const documentsOf = (app: App): Documents => ({
  APK: (db, ids) => releaseDocuments(app, 'APK', db, ids),
  FIRMWARE: (db, ids) => releaseDocuments(app, 'FIRMWARE', db, ids),
  CONFIG: configDocuments,
  async PLANOGRAM(db, ids) {
    const found = await planogramDocuments({ db, actor: systemActor }, ids)
    return new Map(
      [...found].map(([id, { version, body }]) => [
        id,
        { version, bodies: inParts(body.lanes).map((lanes) => ({ lanes })) },
      ]),
    )
  },
  async RECALLS(db, ids) {
    const found = await recallDocuments(db, ids)
    return new Map(
      [...found].map(([id, { version, recalls }]) => [
        id,
        { version, bodies: inParts(recalls).map((some) => ({ recalls: some })) },
      ]),
    )
  },
})

/**
 * The machines' door: takes their messages in, sends them their commands. Several gateways may run.
 */
export async function startGateway(app: App): Promise<Part> {
  const { mqttUrl, mqttFiles } = app.config
  // before the gateway knocks: without the files its own account is not known to the broker
  const files = mqttFiles ? await keepBrokerFiles(app, mqttFiles) : null
  const identities = openIdentities(app)
  const intake = openIntake(app, limits, {
    ...{ vends: recordVend, controls: recordControls, releases: recordReleases },
  })
  const onUnknown = (boardNo: string, address: string) =>
    sightingsOf(app).note({ boardNo, address, via: 'MQTT' })
  const link = mqttUrl
    ? await openRemoteBroker(app, mqttUrl, identities, intake)
    : await openBroker(app, identities, intake.isBanned, intake, onUnknown)
  intake.answerOver(link)
  reportProcess(app, 'gateway', () => link.connected().length)
  const pump = openPump(app, link, takeCommands, vendMessage)
  const controls = openPump(app, link, takeControls, controlMessage)
  const documents = openDocumentPump(app, link, documentsOf(app))
  let stopped = false
  const unless = (work: () => Promise<unknown>) => async () => {
    if (!stopped) await work()
  }
  app.jobs.every('machine-commands', 1000, unless(pump.turn))
  app.jobs.every('machine-controls', 1000, unless(controls.turn))
  app.jobs.every(
    'vend-queue',
    1000,
    unless(() => tellQueue(app, Math.max(intake.behind(), pump.behind()))),
  )
  app.jobs.every('machine-documents', 2000, unless(documents))
  app.jobs.every('machine-identity', 30_000, unless(link.recheck))
  app.jobs.every('machine-tick', 1000, unless(intake.tick))
  app.jobs.every('machine-sweep', 5000, unless(intake.sweep))
  app.jobs.every(
    'machine-figures',
    60_000,
    unless(async () =>
      app.log.debug({ ...intake.counts, connected: link.connected().length }, 'gateway'),
    ),
  )
  const unsubscribe = app.live.subscribe((topics) => {
    if (topics.includes('vend')) app.jobs.poke('machine-commands')
    if (topics.includes('commands')) app.jobs.poke('machine-controls')
    if (topics.includes('shadows')) app.jobs.poke('machine-documents')
    if (topics.includes('identity')) {
      app.jobs.poke('machine-identity')
      files?.changed()
    }
  })
  return {
    async stop() {
      stopped = true
      unsubscribe()
      files?.stop()
      await intake.drain(5000)
      await link.stop()
      await leaveQueue(app).catch(() => {})
    },
  }
}
