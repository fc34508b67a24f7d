import { Flex } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ListHead } from '../../../web/list/Heads.tsx'
import { type BillingTab, useBillingViews } from './pickers.ts'

type Props = { at: BillingTab; tools?: ReactNode; children: ReactNode }
/** A tab of the page of money that is no list: the same head above it. */
export function Tabs({ at, tools = null, children }: Props) {
  const { t } = useTranslation('billing')
  return (
    <Flex vertical gap={12}>
      <section className="hd-sheet" style={{ paddingBottom: 10 }}>
        <ListHead
          title={t('title')}
          views={useBillingViews(at)}
          query={{}}
          onView={() => undefined}
          actions={tools}
        />
      </section>
      {children}
    </Flex>
  )
}
