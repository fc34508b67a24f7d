import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/product/product-category',
    title: bi('商品分类', 'Categories'),
    permission: 'product-category:read',
  },
  {
    path: '/product/product-manage',
    title: bi('商品列表', 'Products'),
    permission: 'product:read',
  },
  {
    path: '/product/product-manage/create',
    title: bi('新增商品', 'New product'),
    permission: 'product:create',
    parent: '/product/product-manage',
  },
  {
    path: '/product/product-manage/edit/:id',
    title: bi('编辑商品', 'Edit product'),
    permission: 'product:update',
    parent: '/product/product-manage',
  },
])
