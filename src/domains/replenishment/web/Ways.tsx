import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'

const paths = {
  tasks: '/stock/replenish',
  visits: '/stock/replenish/visits',
  picks: '/stock/replenish/pick-lists',
} as const

/** What waits, what was done and what to take along are pages beside each other. */
export function Ways({ at }: { at: keyof typeof paths }) {
  const { t } = useTranslation('replenishment')
  const navigate = useNavigate()
  return (Object.keys(paths) as (keyof typeof paths)[])
    .filter((key) => key !== at)
    .map((key) => (
      <Button key={key} onClick={() => navigate(paths[key])}>
        {t(`views.${key}`)}
      </Button>
    ))
}
