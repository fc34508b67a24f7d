import { EncodedPacketSink, FilePathSource, Input, MP4 } from 'mediabunny'
import { serveThread } from '../../../server/threadMain.ts'
import { filmLimits } from '../rules.ts'

/** Films of strangers are looked at here, in a process of their own; the file stays on the disk. */
type Fault = 'filmBroken' | 'filmCodec' | 'filmSize' | 'filmLength' | 'mediaType'
export type Film = { width: number; height: number; durationMs: number }

async function look({ path }: { path: string }): Promise<Film | { fault: Fault }> {
  const input = new Input({ source: new FilePathSource(path), formats: [MP4] })
  try {
    if (!(await input.canRead())) return { fault: 'mediaType' }
    return await measured(input)
  } catch {
    return { fault: 'filmBroken' }
  } finally {
    input.dispose()
  }
}

async function measured(input: Input): Promise<Film | { fault: Fault }> {
  const [video, ...others] = await input.getVideoTracks()
  const sound = await input.getAudioTracks()
  if (!video) return { fault: 'filmBroken' }
  if (others.length || sound.length > 1) return { fault: 'filmCodec' }
  const codecs = [await video.getCodec(), ...(await Promise.all(sound.map((s) => s.getCodec())))]
  if (codecs[0] !== 'avc' || (codecs[1] ?? 'aac') !== 'aac') return { fault: 'filmCodec' }
  const [width, height] = [await video.getDisplayWidth(), await video.getDisplayHeight()]
  if (!(width > 0 && height > 0)) return { fault: 'filmBroken' }
  if (Math.max(width, height) > filmLimits.longer || Math.min(width, height) > filmLimits.shorter)
    return { fault: 'filmSize' }
  const durationMs = Math.round((await video.computeDuration()) * 1000)
  if (!(durationMs >= 1000 && durationMs <= filmLimits.milliseconds)) return { fault: 'filmLength' }
  // what its table promises is there, from the first picture to the last
  const packets = new EncodedPacketSink(video)
  const first = await packets.getFirstPacket()
  const last = await packets.getPacket(Number.POSITIVE_INFINITY)
  if (first?.type !== 'key' || !first.data.length || !last?.data.length)
    return { fault: 'filmBroken' }
  return { width: Math.round(width), height: Math.round(height), durationMs }
}

const work = { look }
export type FilmWork = typeof work
serveThread(work)
