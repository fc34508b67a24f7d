import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { Input } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useMay } from '../../../web/session.ts'
import { useDebounced } from '../../../web/useDebounced.ts'
import { geo, type Place } from '../contract.ts'
import styles from './geo.module.css'

/** Regions first, then the machines and stores somebody may see; arrows and Enter choose. */
export function SearchBox({ onPick }: { onPick: (place: Place) => void }) {
  const { t } = useTranslation('geo')
  const may = useMay()
  const id = useId()
  const [text, setText] = useState('')
  const wanted = useDebounced(text.trim())
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const options = { inline: true, keep: true, enabled: wanted !== '' }
  const regions = useRead(geo.search, { q: wanted }, options)
  const machines = useRead(
    geo.searchDevices,
    { q: wanted },
    { ...options, enabled: wanted !== '' && may('device:read') },
  )
  const stores = useRead(
    geo.searchStores,
    { q: wanted },
    { ...options, enabled: wanted !== '' && may('store:read') },
  )
  const list =
    wanted === ''
      ? []
      : [
          ...(regions.data?.list ?? []),
          ...(stores.data?.list ?? []),
          ...(machines.data?.list ?? []),
        ].slice(0, 12)
  const settled =
    wanted !== '' &&
    wanted === text.trim() &&
    !regions.isFetching &&
    !machines.isFetching &&
    !stores.isFetching
  const choose = (place: Place | undefined) => {
    if (!place) return
    onPick(place)
    setOpen(false)
  }
  const keys = (event: React.KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && list.length > 0) {
      event.preventDefault()
      setOpen(true)
      setAt((at + step + list.length) % list.length)
    }
    if (event.key === 'Enter') choose(list[at])
    if (event.key === 'Escape' && open) {
      event.stopPropagation()
      setOpen(false)
    }
  }
  const shown = open && wanted !== '' && (list.length > 0 || settled)
  return (
    <div className={styles.search}>
      <Input
        autoFocus
        allowClear
        value={text}
        maxLength={60}
        prefix={<SearchOutlined />}
        placeholder={t('picker.search')}
        aria-label={t('picker.search')}
        role="combobox"
        aria-expanded={shown}
        aria-controls={`${id}-list`}
        {...(shown && list.length > 0 ? { 'aria-activedescendant': `${id}-${at}` } : {})}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={keys}
      />
      {shown ? (
        <div
          className={styles.results}
          id={`${id}-list`}
          role="listbox"
          aria-label={t('picker.results')}
        >
          {list.length === 0 ? <p>{t('picker.nothing')}</p> : null}
          {list.map((place, index) => (
            <div
              key={`${place.title} ${place.hint} ${place.lng}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              tabIndex={-1}
              // before the field loses the focus
              onMouseDown={(event) => {
                event.preventDefault()
                choose(place)
              }}
              onMouseEnter={() => setAt(index)}
            >
              <span>{place.title}</span>
              <small>{[place.hint, place.address].filter(Boolean).join(' · ')}</small>
            </div>
          ))}
        </div>
      ) : null}
    </div>
  )
}
