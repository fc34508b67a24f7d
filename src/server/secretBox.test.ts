import { expect, test } from 'vitest'
import { keyFor, openSecret, sealSecret } from './secretBox.ts'

const config = { secretKey: '0'.repeat(64) }
const [use, place, text] = ['alerts.channel', 'alert_channels.secret|7', 'a secret of a channel']

test('a sealed secret opens at its own place, for its own use, with its own key and unchanged', () => {
  const sealed = sealSecret(config, use, place, text)
  expect(openSecret(config, use, place, sealed)).toBe(text)
  const turned = Buffer.from(sealed)
  turned.writeUInt8(turned.readUInt8(14) ^ 1, 14)
  for (const open of [
    () => openSecret(config, use, 'alert_channels.secret|8', sealed),
    () => openSecret(config, 'session.factor', place, sealed),
    () => openSecret({ secretKey: '1'.repeat(64) }, use, place, sealed),
    () => openSecret(config, use, place, turned),
    () => openSecret(config, use, place, sealed.subarray(0, -1)),
  ])
    expect(open).toThrow()
})

test('the same secret twice is told apart from none', () => {
  const [one, two] = [sealSecret(config, use, place, text), sealSecret(config, use, place, text)]
  expect(one.equals(two) || one.subarray(0, 12).equals(two.subarray(0, 12))).toBe(false)
  expect(one.includes(text)).toBe(false)
})

test('each use has a key of its own, and the secret of the installation is none of them', () => {
  const keys = ['session.sms', 'session.recovery', 'session.identity'].map((name) =>
    keyFor(config, name).toString('hex'),
  )
  expect(new Set([...keys, config.secretKey]).size).toBe(4)
})
