import { useEffect, useRef, useState } from 'react'

/** What browsers that read codes bring; TypeScript does not know it yet. */
type Detector = { detect(source: HTMLVideoElement): Promise<readonly { rawValue: string }[]> }
type Maker = new (of?: { formats: readonly string[] }) => Detector
const maker = (): Maker | undefined => (globalThis as { BarcodeDetector?: Maker }).BarcodeDetector
/** Some browsers cannot: codes are typed there. */
export const canScan = (): boolean => maker() !== undefined && !!navigator.mediaDevices

const everyMs = 200

/**
 * The camera on the video that takes the answer as its `ref`, as long as it is there. The codes that
 * lie before it are told at every look. `formats` is a constant; without it every kind is read.
 */
export function useCamera(
  on: { read: (codes: readonly string[]) => void; fail: () => void },
  formats?: readonly string[],
): (video: HTMLVideoElement | null) => void {
  const [video, setVideo] = useState<HTMLVideoElement | null>(null)
  const said = useRef(on)
  useEffect(() => {
    said.current = on
  })
  useEffect(() => {
    if (!video) return
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let over = false
    const stop = () => {
      over = true
      clearTimeout(timer)
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    const look = async (detector: Detector) => {
      const seen = await detector.detect(video).catch(() => [])
      if (over) return
      timer = setTimeout(() => void look(detector), everyMs)
      said.current.read(seen.map(({ rawValue }) => rawValue))
    }
    const begin = async () => {
      const Maker = maker()
      if (!Maker) throw new Error('no reader of codes')
      const detector = new Maker(formats && { formats })
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      // closed while the person was asked
      if (over) return stop()
      video.srcObject = stream
      await video.play()
      await look(detector)
    }
    begin().catch(() => {
      if (!over) said.current.fail()
    })
    return stop
  }, [video, formats])
  return setVideo
}
