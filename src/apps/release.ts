import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  isSigned,
  keyLine,
  readKeys,
  readManifest,
  readSignature,
  signText,
} from '../domains/releases/manifest.ts'

const usage = `npm run release -- key <new key file> <name>       makes a key pair: the private key into the file, its public line is printed
npm run release -- sign <key file> <manifest file>  prints the signature of a manifest, and writes it beside it (.sig)
npm run release -- verify <public keys> <manifest file> <signature>
The key file never touches the server; its public line goes into RELEASE_KEYS there, and into the machines.`

function run([what, ...args]: readonly string[]): string {
  const [first = '', second = '', third = ''] = args
  if (what === 'key' && args.length === 2) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
    writeFileSync(first, pem, { mode: 0o600, flag: 'wx' })
    return keyLine(publicKey, second)
  }
  if (what === 'sign' && args.length === 2) {
    const text = readFileSync(second, 'utf8').trim()
    // whoever signs sees what it is
    const manifest = readManifest(text)
    if (!manifest) throw new Error(`${second} is no manifest`)
    const signature = signText(readFileSync(first), text)
    writeFileSync(`${second}.sig`, `${signature}\n`)
    const { kind, target, versionName, versionCode, serial, downgrade, expiresAt } = manifest
    console.error(
      `${kind} ${target} ${versionName} (${versionCode}), serial ${serial}, until ${new Date(expiresAt).toISOString()}${downgrade ? ', MAY GO BACK' : ''}`,
    )
    return signature
  }
  if (what === 'verify' && args.length === 3) {
    const read = readSignature(third)
    const manifest = readFileSync(second, 'utf8').trim()
    if (!read || !isSigned(readKeys(readFileSync(first, 'utf8')), { manifest, ...read }))
      throw new Error('The signature does not belong to this manifest, or its key is not known.')
    return 'right'
  }
  throw new Error(usage)
}

try {
  console.log(run(process.argv.slice(2)))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
