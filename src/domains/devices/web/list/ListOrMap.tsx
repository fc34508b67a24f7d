import { Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'

const pages = { list: '/device/device-list', map: '/device/device-map' } as const

/** The same machines as rows or on the map: the filter goes along. */
export function ListOrMap({ at }: { at: keyof typeof pages }) {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  const { search } = useLocation()
  const go = (to: keyof typeof pages) => {
    const query = new URLSearchParams(search)
    for (const key of ['detail', 'page', 'sort', 'pageSize']) query.delete(key)
    navigate(query.size ? `${pages[to]}?${query}` : pages[to])
  }
  return (
    <Segmented
      aria-label={t('map.switch')}
      value={at}
      onChange={go}
      options={[
        { value: 'list' as const, label: t('map.list') },
        { value: 'map' as const, label: t('map.map') },
      ]}
    />
  )
}
