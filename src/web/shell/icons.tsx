import AccountBookOutlined from '@ant-design/icons/es/icons/AccountBookOutlined'
import ApartmentOutlined from '@ant-design/icons/es/icons/ApartmentOutlined'
import ApiOutlined from '@ant-design/icons/es/icons/ApiOutlined'
import AppstoreOutlined from '@ant-design/icons/es/icons/AppstoreOutlined'
import BarChartOutlined from '@ant-design/icons/es/icons/BarChartOutlined'
import CreditCardOutlined from '@ant-design/icons/es/icons/CreditCardOutlined'
import CrownOutlined from '@ant-design/icons/es/icons/CrownOutlined'
import FileTextOutlined from '@ant-design/icons/es/icons/FileTextOutlined'
import FundProjectionScreenOutlined from '@ant-design/icons/es/icons/FundProjectionScreenOutlined'
import HddOutlined from '@ant-design/icons/es/icons/HddOutlined'
import HomeOutlined from '@ant-design/icons/es/icons/HomeOutlined'
import InboxOutlined from '@ant-design/icons/es/icons/InboxOutlined'
import KeyOutlined from '@ant-design/icons/es/icons/KeyOutlined'
import MedicineBoxOutlined from '@ant-design/icons/es/icons/MedicineBoxOutlined'
import MessageOutlined from '@ant-design/icons/es/icons/MessageOutlined'
import PictureOutlined from '@ant-design/icons/es/icons/PictureOutlined'
import ProfileOutlined from '@ant-design/icons/es/icons/ProfileOutlined'
import ReadOutlined from '@ant-design/icons/es/icons/ReadOutlined'
import RedEnvelopeOutlined from '@ant-design/icons/es/icons/RedEnvelopeOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import ShoppingOutlined from '@ant-design/icons/es/icons/ShoppingOutlined'
import SunOutlined from '@ant-design/icons/es/icons/SunOutlined'
import type { ComponentType, ReactElement } from 'react'

const icons: Readonly<Record<string, ComponentType>> = {
  home: HomeOutlined,
  device: HddOutlined,
  goods: ShoppingOutlined,
  box: InboxOutlined,
  list: ProfileOutlined,
  chart: BarChartOutlined,
  money: AccountBookOutlined,
  tree: ApartmentOutlined,
  note: FileTextOutlined,
  chat: MessageOutlined,
  gear: SettingOutlined,
  ad: PictureOutlined,
  app: AppstoreOutlined,
  chip: ApiOutlined,
  school: ReadOutlined,
  card: CreditCardOutlined,
  screen: FundProjectionScreenOutlined,
  flower: SunOutlined,
  crown: CrownOutlined,
  gift: RedEnvelopeOutlined,
  key: KeyOutlined,
  doctor: MedicineBoxOutlined,
}

/** Names a menu may choose from. */
export const menuIconNames: readonly string[] = Object.keys(icons)

/** The icon of a menu node; an unknown name gets the neutral one. */
export function menuIcon(name: string): ReactElement {
  const Icon = icons[name] ?? AppstoreOutlined
  return <Icon />
}
