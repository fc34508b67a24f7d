import { Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { Tabs } from '../../billing/web/Tabs.tsx'
import { SettlementCalendar } from './SettlementCalendar.tsx'
import { SettlementOrder } from './SettlementOrder.tsx'

/** When money comes: of everybody in the next days, or of one order from its payment on. */
export function Settlement() {
  const { t } = useTranslation('splits')
  const [params, setParams] = useSearchParams()
  const one = params.get('orderNum') !== null
  const show = (view: string) =>
    setParams(view === 'order' ? { orderNum: '' } : {}, { replace: true })
  return (
    <Tabs
      at="timeline"
      tools={
        <Segmented
          value={one ? 'order' : 'calendar'}
          onChange={show}
          options={(['calendar', 'order'] as const).map((value) => ({
            value,
            label: t(`settlement.views.${value}`),
          }))}
        />
      }
    >
      {one ? <SettlementOrder /> : <SettlementCalendar />}
    </Tabs>
  )
}
