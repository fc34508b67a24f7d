import { Flex } from 'antd'
import type { ReactNode } from 'react'
import { Section } from '../../../web/FormPage.tsx'

type Props = { title: string; purpose: string; children: ReactNode }

/** One question about a machine, saved by itself. */
export const Sides = ({ title, purpose, children }: Props) => (
  <Section title={title} purpose={purpose}>
    <Flex vertical gap={16} style={{ gridColumn: '1 / -1', paddingBottom: 16 }}>
      {children}
    </Flex>
  </Section>
)
