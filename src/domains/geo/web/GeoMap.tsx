import type L from 'leaflet'
import { useTranslation } from 'react-i18next'
import { queryClient, readKey, useRead } from '../../../web/api.ts'
import { call } from '../../../web/call.ts'
import { MapView } from '../../../web/map/MapView.tsx'
import { geo } from '../contract.ts'

type Props = {
  start: { lng: number; lat: number; zoom: number } | null
  onMap: (map: L.Map) => () => void
}

const load = (province: string) =>
  queryClient.fetchQuery({
    queryKey: readKey(geo.outlines, { province }),
    queryFn: () => call(geo.outlines, { province }),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { inline: true },
  })

/** The map of the product: our own outlines, and tiles when the platform has set an address. */
export function GeoMap({ start, onMap }: Props) {
  const { t } = useTranslation('geo')
  const tiles = useRead(geo.tiles, {}, { inline: true, staleTime: 600_000 })
  const words = {
    label: t('view.label'),
    zoomIn: t('view.zoomIn'),
    zoomOut: t('view.zoomOut'),
    whole: t('view.whole'),
    islands: t('view.islands'),
  }
  return <MapView words={words} tiles={tiles.data} load={load} start={start} onMap={onMap} />
}
