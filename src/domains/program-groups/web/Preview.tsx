import { Button, Flex } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { href } from '../../../web/base.ts'
import { Unread } from '../../../web/Problem.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { type GroupItem, programGroups } from '../contract.ts'
import styles from './group.module.css'

const looks = { NONE: '', FADE: styles.fade ?? '', SLIDE: styles.slide ?? '' } as const

/** Plays a group as a screen does, one after the other, each for its seconds. */
export function Preview({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('programGroups')
  const active = useActiveTab()
  const read = useRead(programGroups.get, { id }, { inline: true })
  const shows = read.data?.shows ?? []
  const [at, setAt] = useState(0)
  const [playing, setPlaying] = useState(true)
  const one = shows[at % Math.max(1, shows.length)]
  useEffect(() => {
    if (!one || !playing) return
    const timer = setTimeout(() => setAt(at + 1), one.seconds * 1000)
    return () => clearTimeout(timer)
  }, [one, at, playing])
  if (!active) return null
  const step = (by: number) => setAt((at + by + shows.length) % Math.max(1, shows.length))
  return (
    <Modal
      open
      width={720}
      footer={null}
      title={`${t('preview')} · ${read.data?.name ?? ''}`}
      onCancel={onClose}
    >
      {read.data ? null : <Unread read={read} rows={4} />}
      {one ? (
        <Flex vertical gap={12}>
          <div className={styles.stage}>
            <Show key={at} item={one} look={looks[read.data?.transition ?? 'NONE']} />
            {one.caption ? <div className={styles.caption}>{one.caption}</div> : null}
          </div>
          <Flex gap={8} align="center" wrap>
            <Button onClick={() => step(-1)}>{t('previous')}</Button>
            <Button onClick={() => setPlaying(!playing)}>{t(playing ? 'pause' : 'play')}</Button>
            <Button onClick={() => step(1)}>{t('next')}</Button>
            <Muted>
              {t('position', { at: (at % shows.length) + 1, of: shows.length })} · {one.title} ·{' '}
              {t('seconds', { n: one.seconds })}
            </Muted>
          </Flex>
          {one.plays ? null : <Bad>{t('notPlaying')}</Bad>}
        </Flex>
      ) : (
        read.data && <Muted>{t('nothing')}</Muted>
      )}
    </Modal>
  )
}

const Show = ({ item, look }: { item: GroupItem; look: string }) =>
  item.kind === 'IMAGE' ? (
    <img className={look} src={href(item.file)} alt={item.title} />
  ) : (
    <video className={look} src={href(item.file)} autoPlay muted playsInline title={item.title} />
  )
