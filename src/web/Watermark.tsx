import { Watermark as AntWatermark } from 'antd'
import { type ReactNode, useState } from 'react'
import { useUser } from './session.ts'
import { fullTime } from './time.ts'

/** Around money and patient screens: who looked, and when. */
export function Watermark({ children }: { children: ReactNode }) {
  const { username } = useUser()
  const [at] = useState(() => fullTime(new Date()).slice(0, 16))
  return (
    <AntWatermark
      content={[username, at]}
      gap={[140, 120]}
      font={{ fontSize: 13, color: 'rgba(110,125,140,.10)' }}
      style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}
    >
      {children}
    </AntWatermark>
  )
}
