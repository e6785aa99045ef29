# Stands in for OpenWrt's rules.mk, with package.mk and golang-package.mk: only what the recipes
# of this feed use. dist/build-feed makes packages with it, of programs that dist/build made.
INCLUDE_DIR:=$(TOPDIR)/include
PKG_BUILD_DIR:=$(BUILD)/source
INSTALL_DIR:=install -d -m0755
INSTALL_BIN:=install -m0755
INSTALL_CONF:=install -m0600
CP:=cp -fpR
comma:=,
empty:=
space:=$(empty) $(empty)
