import { runFleet } from '../fleet/run.ts'
import { loadConfig } from '../server/config.ts'
import { exitWithParent, reportReady } from '../server/parentWatch.ts'

/** The simulated fleet: machines and customers that know only the public protocol. */
const fleet = await runFleet(loadConfig(process.env), (line) => console.log(line))
exitWithParent()
reportReady()

// tests let the machines finish what they began
process.on('SIGUSR2', () => {
  fleet.closeShop().then(
    () => console.log('The shop is closed.'),
    () => {},
  )
})

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    void fleet.stop().finally(() => process.exit(0))
  })
}
// the machines' timers do not keep a process alive that has no connection yet
setInterval(() => {}, 60_000)
