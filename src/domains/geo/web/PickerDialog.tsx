import { Input, InputNumber } from 'antd'
import type L from 'leaflet'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { inChina, round6 } from '../../../shared/place.ts'
import { regionPath } from '../../../shared/regions.ts'
import { queryClient, readKey, useRead } from '../../../web/api.ts'
import { call } from '../../../web/call.ts'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { geo, type Place } from '../contract.ts'
import { GeoMap } from './GeoMap.tsx'
import styles from './geo.module.css'
import { type Pin, putPin } from './pin.ts'
import { SearchBox } from './SearchBox.tsx'

export type Picked = { county: string; address: string; lng: number; lat: number }
type Start = { county: string; address: string; lng: number | null; lat: number | null }
type Spot = { lng: number; lat: number }

const isCounty = (code: string) => code !== '' && regionPath(code).at(-1)?.children.length === 0
const closeUp = 16

export function PickerDialog({
  start,
  onPick,
  onClose,
}: {
  start: Start
  onPick: (picked: Picked) => void
  onClose: () => void
}) {
  const { t } = useTranslation('geo')
  const id = useId()
  const [lng, setLng] = useState(start.lng)
  const [lat, setLat] = useState(start.lat)
  const [county, setCounty] = useState(start.county)
  const [address, setAddress] = useState(start.address)
  const [note, setNote] = useState<'near' | 'elsewhere' | null>(null)
  const [tried, setTried] = useState(false)
  const map = useRef<L.Map | null>(null)
  const pin = useRef<Pin | null>(null)
  const asked = useRef(0)
  const opening = useRead(
    geo.regions,
    { parent: parentOf(start.county) },
    { inline: true, enabled: start.lng === null && start.county !== '' },
  )

  const spot: Spot | null =
    typeof lng === 'number' && typeof lat === 'number' && inChina(lng, lat) ? { lng, lat } : null
  const problem =
    typeof lng !== 'number' || typeof lat !== 'number'
      ? t('picker.choose')
      : spot === null
        ? t('picker.outside')
        : !isCounty(county)
          ? t('picker.county')
          : null

  /**
   * Region of a position; what a person chose stays when it lies in the same city, as towns have no
   * borders here.
   */
  const follow = async (at: Spot) => {
    asked.current += 1
    const mine = asked.current
    const found = await queryClient
      .fetchQuery({
        queryKey: readKey(geo.reverse, at),
        queryFn: () => call(geo.reverse, at),
        meta: { inline: true },
      })
      .catch(() => null)
    if (mine !== asked.current || !found) return
    setNote(found.region === null ? 'elsewhere' : found.inside ? null : 'near')
    const region = found.region ?? ''
    setCounty((held) =>
      isCounty(region) ? region : held.slice(0, 4) === region.slice(0, 4) ? held : region,
    )
  }
  const put = (at: Spot, zoom?: number) => {
    const exact = { lng: round6(at.lng), lat: round6(at.lat) }
    setLng(exact.lng)
    setLat(exact.lat)
    pin.current?.move(exact)
    if (zoom !== undefined)
      map.current?.setView([exact.lat, exact.lng], Math.max(zoom, map.current.getZoom()))
    if (inChina(exact.lng, exact.lat)) void follow(exact)
  }
  const type = (next: { lng?: number | null; lat?: number | null }) => {
    const both = { lng, lat, ...next }
    setLng(both.lng)
    setLat(both.lat)
    if (typeof both.lng === 'number' && typeof both.lat === 'number' && inChina(both.lng, both.lat))
      put({ lng: both.lng, lat: both.lat }, 12)
    else pin.current?.move(null)
  }
  const found = (place: Place) => {
    if (place.address) setAddress(place.address)
    put(place, place.zoom)
    if (isCounty(place.region)) setCounty(place.region)
  }
  const goTo = async (code: string | undefined) => {
    setCounty(code ?? '')
    const answer = code
      ? await call(geo.regions, { parent: parentOf(code) }).catch(() => null)
      : null
    const at = answer?.list.find((region) => region.region === code)
    if (at && at.lng !== null && at.lat !== null && !spot)
      map.current?.setView([at.lat, at.lng], 12)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the region of the form is known
  useEffect(() => {
    const at = opening.data?.list.find((region) => region.region === start.county)
    if (at && at.lng !== null && at.lat !== null && pin.current?.at() === null)
      map.current?.setView([at.lat, at.lng], 12)
  }, [opening.data])
  const latest = useRef(put)
  latest.current = put
  const onMap = (made: L.Map) => {
    map.current = made
    const held = putPin(made, { label: t('picker.pin'), onMove: (at) => latest.current(at) })
    pin.current = held
    held.move(start.lng !== null && start.lat !== null ? { lng: start.lng, lat: start.lat } : null)
    return held.stop
  }
  const done = () => {
    setTried(true)
    if (problem === null && spot) onPick({ ...spot, county, address: address.trim() })
  }
  return (
    <Modal
      open
      title={t('picker.title')}
      width={920}
      okText={t('picker.ok')}
      cancelText={t('picker.cancel')}
      onOk={done}
      onCancel={onClose}
      mask={{ closable: false }}
    >
      <div className={styles.picker}>
        <SearchBox onPick={found} />
        <div className={styles.pickerMap}>
          <GeoMap
            start={
              start.lng !== null && start.lat !== null
                ? { lng: start.lng, lat: start.lat, zoom: closeUp }
                : null
            }
            onMap={onMap}
          />
        </div>
        <p className={styles.hint}>{t('picker.hint')}</p>
        <div className={styles.fields}>
          <label htmlFor={`${id}-region`}>
            <span>{t('picker.region')}</span>
            <RegionSelect id={`${id}-region`} value={county} onChange={(code) => void goTo(code)} />
          </label>
          <label htmlFor={`${id}-address`}>
            <span>{t('picker.address')}</span>
            <Input
              id={`${id}-address`}
              value={address}
              maxLength={100}
              onChange={(event) => setAddress(event.target.value)}
            />
          </label>
          <label htmlFor={`${id}-lng`}>
            <span>{t('picker.lng')}</span>
            <InputNumber
              id={`${id}-lng`}
              className={styles.number ?? ''}
              value={lng}
              precision={6}
              step={0.001}
              onChange={(next) => type({ lng: next })}
            />
          </label>
          <label htmlFor={`${id}-lat`}>
            <span>{t('picker.lat')}</span>
            <InputNumber
              id={`${id}-lat`}
              className={styles.number ?? ''}
              value={lat}
              precision={6}
              step={0.001}
              onChange={(next) => type({ lat: next })}
            />
          </label>
        </div>
        <p className={styles.problem} role="alert">
          {tried && problem ? problem : ''}
        </p>
        {note && spot && !(tried && problem) ? (
          <p className={styles.note}>{t(`picker.${note}`)}</p>
        ) : null}
      </div>
    </Modal>
  )
}

const parentOf = (code: string): string | undefined => regionPath(code).at(-2)?.code
