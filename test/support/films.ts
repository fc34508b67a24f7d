import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'

const configs = {
  // a baseline picture: profile, level, one sequence and one picture parameter set
  avc: {
    codec: 'avc1.42c01e',
    description: Buffer.from('0142c01effe1000b6742c01eda02802dd080880001000468ce3c80', 'hex'),
  },
  hevc: {
    codec: 'hvc1.1.6.L93.B0',
    description: Buffer.concat([
      Buffer.from('0101600000009000000000005df000fcfdf8f800000f00', 'hex'),
    ]),
  },
}

/**
 * An mp4 whose tables are true and whose pictures are noise: what a library reads of a film is all
 * there, and no encoder is needed.
 */
export async function film({
  codec = 'avc' as keyof typeof configs,
  seconds = 3,
  width = 1280,
  height = 720,
  noise = 2000,
} = {}): Promise<Buffer> {
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: 'in-memory' }),
    target: new BufferTarget(),
  })
  const source = new EncodedVideoPacketSource(codec)
  output.addVideoTrack(source)
  await output.start()
  const decoderConfig = { ...configs[codec], codedWidth: width, codedHeight: height }
  for (let n = 0; n < seconds; n += 1)
    await source.add(
      new EncodedPacket(Buffer.alloc(noise, n + 1), n === 0 ? 'key' : 'delta', n, 1),
      n === 0 ? { decoderConfig } : {},
    )
  await output.finalize()
  return Buffer.from((output.target as BufferTarget).buffer as ArrayBuffer)
}
