import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../support/freePort.ts'

/**
 * One product for the whole run, as `npm start` starts it, on a data folder and ports of its own.
 */
export default async function startProduct(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-e2e-'))
  const [port, mqttPort] = [await freePort(), await freePort()]
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      DATA_DIR: dataDir,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      FLEET: '40',
      // at noon customers come every five seconds: faster, and they would wait for each other's goods
      FLEET_PACE: '4',
      LOG_LEVEL: 'error',
      RATE_LIMIT: '10000',
    },
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the product did not start (${code})`)))
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('is ready')) resolve()
      else process.stdout.write(chunk)
    })
  })
  Object.assign(process.env, { E2E_BASE: `http://127.0.0.1:${port}`, E2E_DATA_DIR: dataDir })
  return async () => {
    child.kill('SIGTERM')
    await gone
    rmSync(dataDir, { recursive: true, force: true })
  }
}
