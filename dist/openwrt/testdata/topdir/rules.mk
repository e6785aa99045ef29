# Stands in for OpenWrt's rules.mk in ../../test, with package.mk and golang-package.mk.
INCLUDE_DIR:=$(TOPDIR)/include
PKG_BUILD_DIR:=$(BUILD)/source
INSTALL_DIR:=install -d -m0755
INSTALL_BIN:=install -m0755
INSTALL_CONF:=install -m0600
CP:=cp -fpR
